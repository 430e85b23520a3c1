import type { Decoding } from "./decoding.ts";

/** How listings put a number before a line: `12│`, `12:`, `12→`, `12|`, `12` and a tab, `a.ts:12:`, and `12 ` as in results of edit. */
const PREFIXES: readonly RegExp[] = [
  /^[ \t]*(\d{1,7})[ ]?[│┃|→]/,
  /^[ \t]*[Ll]?(\d{1,7})[:-]/,
  /^[ ]*(\d{1,7})\t/,
  /^[^\s:]+\.[^\s:]+:(\d{1,7})[:-]/,
  /^[ +-]?[ ]*(\d{1,7})(?: |$)/,
];

export const lineNumbers: Decoding = {
  told: "without its line numbers",
  isWholeLines: true,
  decode({ oldText, newText }) {
    for (const prefix of PREFIXES) {
      const numbers = numbersOf(oldText, prefix);
      if (!numbers) continue;
      return { oldText: withoutNumbers(oldText, prefix), newText: newTextWithout(newText, prefix, numbers) };
    }
    return undefined;
  },
};

interface Range {
  first: number;
  last: number;
}

/** The numbers of a text in which every line has one, each the next; empty lines may lack theirs. */
function numbersOf(text: string, prefix: RegExp): Range | undefined {
  let first: number | undefined;
  let next: number | undefined;
  for (const line of text.split("\n")) {
    const number = prefix.exec(line)?.[1];
    if (number === undefined) {
      if (line.trim() !== "") return undefined;
      if (next !== undefined) next += 1;
      continue;
    }
    const value = Number(number);
    if (next !== undefined && value !== next) return undefined;
    first ??= value;
    next = value + 1;
  }
  return first === undefined || next === undefined ? undefined : { first, last: next - 1 };
}

function withoutNumbers(text: string, prefix: RegExp): string {
  return text
    .split("\n")
    .map((line) => line.replace(prefix, ""))
    .join("\n");
}

/** Lines that the model added may have a number or not; one that is far from those of the old text belongs to the line. */
function newTextWithout(text: string, prefix: RegExp, { first, last }: Range): string {
  const lines = text.split("\n");
  return lines
    .map((line) => {
      const number = Number(prefix.exec(line)?.[1] ?? -1);
      return number >= first && number <= last + lines.length ? line.replace(prefix, "") : line;
    })
    .join("\n");
}
