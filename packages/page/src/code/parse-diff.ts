export type DiffLine =
  | { kind: "same"; oldNumber?: number; newNumber?: number; text: string }
  | { kind: "removed"; oldNumber?: number; text: string }
  | { kind: "added"; newNumber?: number; text: string }
  | { kind: "gap"; text: string }
  | { kind: "file"; text: string };

const NUMBERED = /^([ +-]) *(\d+)[ |:](.*)$/;
const HUNK = /^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?/;

/** Reads both formats of a diff: with line numbers, and with `@@` before each hunk. */
export function parseDiff(text: string): DiffLine[] {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.some((line) => HUNK.test(line)) ? parseUnified(lines) : parseNumbered(lines);
}

/** The header of a hunk states its length; only after its end can a line be a file name. */
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

/**
 * Unchanged lines have their number in the new text; the old number follows from the lines added and removed before.
 */
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
