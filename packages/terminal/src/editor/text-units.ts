const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });
/** A paste that is shown as a block. */
const BLOCK = /\[paste #\d+ [^\]\n]*\]/g;
const PLAIN = /^[ -~]*$/;

/** A piece of text that the cursor cannot enter. */
interface Unit {
  text: string;
  start: number;
  end: number;
}

/** Splits a line into user-perceived characters; a block of pasted text is one. */
export function unitsOf(line: string): Unit[] {
  const units: Unit[] = [];
  let from = 0;
  for (const { 0: block, index } of line.matchAll(BLOCK)) {
    addGraphemes(units, line.slice(from, index), from);
    units.push({ text: block, start: index, end: index + block.length });
    from = index + block.length;
  }
  addGraphemes(units, line.slice(from), from);
  return units;
}

function addGraphemes(units: Unit[], text: string, offset: number): void {
  if (PLAIN.test(text)) {
    for (let at = 0; at < text.length; at += 1)
      units.push({ text: text[at]!, start: offset + at, end: offset + at + 1 });
    return;
  }
  for (const { segment, index } of graphemes.segment(text))
    units.push({ text: segment, start: offset + index, end: offset + index + segment.length });
}

/** Returns where the character before the position starts. */
export function previousUnit(line: string, column: number): number {
  return unitsOf(line).findLast(({ start }) => start < column)?.start ?? 0;
}

/** Returns where the character at the position ends. */
export function nextUnit(line: string, column: number): number {
  return unitsOf(line).find(({ end }) => end > column)?.end ?? line.length;
}

interface Word extends Unit {
  kind: "word" | "space" | "sign";
}

/** Returns where the word before the position starts; spaces next to the position are passed over. */
export function previousWord(line: string, column: number): number {
  const before = wordsOf(line.slice(0, column));
  const last = before.findLastIndex(({ kind }) => kind !== "space");
  if (last === -1) return 0;
  let first = last;
  while (first > 0 && before[first]!.kind === "sign" && before[first - 1]!.kind === "sign") first -= 1;
  return before[first]!.start;
}

/** Returns where the word at or after the position ends. */
export function nextWord(line: string, column: number): number {
  const after = wordsOf(line.slice(column));
  const first = after.findIndex(({ kind }) => kind !== "space");
  if (first === -1) return line.length;
  let last = first;
  while (after[last]!.kind === "sign" && after[last + 1]?.kind === "sign") last += 1;
  return column + after[last]!.end;
}

function wordsOf(text: string): Word[] {
  const found: Word[] = [];
  let from = 0;
  const add = (part: string, offset: number) => {
    for (const { segment, index, isWordLike } of words.segment(part)) {
      const kind = isWordLike ? "word" : segment.trim() === "" ? "space" : "sign";
      found.push({ text: segment, start: offset + index, end: offset + index + segment.length, kind });
    }
  };
  for (const { 0: block, index } of text.matchAll(BLOCK)) {
    add(text.slice(from, index), from);
    found.push({ text: block, start: index, end: index + block.length, kind: "word" });
    from = index + block.length;
  }
  add(text.slice(from), from);
  return found;
}
