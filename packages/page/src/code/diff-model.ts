export type DiffLine =
  | { kind: "same"; oldNumber?: number; newNumber?: number; text: string }
  | { kind: "removed"; oldNumber?: number; text: string }
  | { kind: "added"; newNumber?: number; text: string }
  | { kind: "gap"; text: string }
  | { kind: "file"; text: string };

const NUMBERED = /^([ +-]) *(\d+)[ |:](.*)$/;
const HUNK = /^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?/;

/** Reads both spellings of a diff: with the number of each line, and with `@@` before each part. */
export function parseDiff(text: string): DiffLine[] {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.some((line) => HUNK.test(line)) ? parseUnified(lines) : parseNumbered(lines);
}

/** The head of a part says how long it is: only behind its end can a line be the name of a file. */
function parseUnified(lines: readonly string[]): DiffLine[] {
  const found: DiffLine[] = [];
  let [oldNumber, newNumber, oldLeft, newLeft] = [0, 0, 0, 0];
  const takeOld = () => {
    oldLeft -= 1;
    return oldNumber++;
  };
  const takeNew = () => {
    newLeft -= 1;
    return newNumber++;
  };
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    const isInside = oldLeft > 0 || newLeft > 0;
    if (hunk) {
      [oldNumber, newNumber] = [Number(hunk[1]), Number(hunk[3])];
      [oldLeft, newLeft] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      if (found.length > 0 && found.at(-1)?.kind !== "file") found.push({ kind: "gap", text: "" });
    } else if (isInside && line.startsWith("+")) {
      found.push({ kind: "added", newNumber: takeNew(), text: line.slice(1) });
    } else if (isInside && line.startsWith("-")) {
      found.push({ kind: "removed", oldNumber: takeOld(), text: line.slice(1) });
    } else if (isInside && !line.startsWith("\\")) {
      found.push({ kind: "same", oldNumber: takeOld(), newNumber: takeNew(), text: line.slice(1) });
    } else if (line.startsWith("+++ ")) {
      found.push({ kind: "file", text: fileName(line) });
    } else if (!/^(?:diff |index |Index: |--- |=====)/.test(line) && line.trim() !== "") {
      found.push({ kind: "gap", text: line });
    }
  }
  return found;
}

function fileName(line: string): string {
  return line
    .slice(4)
    .replace(/^[ab]\//, "")
    .replace(/\t.*$/, "");
}

/** Unchanged lines have the number of the new text; the old one follows from what was added and removed before. */
function parseNumbered(lines: readonly string[]): DiffLine[] {
  let shift = 0;
  return lines.map((line): DiffLine => {
    const [, sign, digits, text = ""] = NUMBERED.exec(line) ?? [];
    const number = Number(digits);
    if (sign === "+") {
      shift += 1;
      return { kind: "added", newNumber: number, text };
    }
    if (sign === "-") {
      shift -= 1;
      return { kind: "removed", oldNumber: number, text };
    }
    if (sign === " ") return { kind: "same", oldNumber: number - shift, newNumber: number, text };
    if (/^[+-]/.test(line)) return { kind: line[0] === "+" ? "added" : "removed", text: line.slice(1) };
    return { kind: "gap", text: line.trim().replace(/^\.\.\.$/, "") };
  });
}

/** More would take too long to compare line by line. */
const MOST_PAIRS = 250_000;

/** For changes of which only the old and the new text are known. */
export function diffTexts(oldText: string, newText: string): DiffLine[] {
  const [a, b] = [oldText.split("\n"), newText.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [
    ...a.slice(0, start).map(same),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (a.length * b.length > MOST_PAIRS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i++] as string });
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) lines.push(removed(a[i++] as string));
    else lines.push(added(b[j++] as string));
  }
  return lines;
}

/** A line of the view: what it was beside what it is. */
export interface DiffPair {
  kind: "same" | "change" | "gap" | "file";
  before?: { number?: number; text: string };
  after?: { number?: number; text: string };
}

export function pairLines(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  let [removed, added]: [DiffPair["before"][], DiffPair["after"][]] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const [before, after] = [removed[index], added[index]];
      pairs.push({ kind: "change", ...(before && { before }), ...(after && { after }) });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(side(line.oldNumber, line.text));
    } else if (line.kind === "added") added.push(side(line.newNumber, line.text));
    else {
      flush();
      if (line.kind === "same") {
        pairs.push({ kind: "same", before: side(line.oldNumber, line.text), after: side(line.newNumber, line.text) });
      } else pairs.push({ kind: line.kind, after: { text: line.text } });
    }
  }
  flush();
  return pairs;
}

function side(number: number | undefined, text: string): { number?: number; text: string } {
  return { ...(number !== undefined && { number }), text };
}
