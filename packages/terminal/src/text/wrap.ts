import { withOwnStyles } from "./row-styles.ts";
import { firstColumns, widthOf } from "./width.ts";

/** A longer line without spaces is cut by Bun, which takes linear time but may cut through an emoji of several characters. */
const LONGEST_WORD = 20_000;
const LEADING_SPACES = /^ +/;

/**
 * Breaks text into lines of at most this many columns: between words if possible, inside a word that is longer than a line.
 * Every line closes its styles and the next one opens them again. Keeps the indentation of the first line.
 */
export function wrapped(text: string, width: number): string[] {
  const columns = Math.max(1, width);
  return text.split("\n").flatMap((line) => wrappedLine(line, columns));
}

function wrappedLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const indent = LEADING_SPACES.exec(line)?.[0] ?? "";
  // Bun drops the indentation along with the spaces at which it breaks.
  if (indent === "" || indent.length > width / 2 || width < 4) return broken(line, width);
  const inner = Math.max(2, width - indent.length);
  return broken(line.slice(indent.length), inner).map((part) => `${indent}${part}`);
}

function broken(line: string, width: number): string[] {
  const rows = Bun.wrapAnsi(line, width, { hard: line.length > LONGEST_WORD }).split("\n");
  return (line.includes("\u001b") ? withOwnStyles(rows) : rows).flatMap((row) =>
    widthOf(row) <= width ? [row] : cut(row, width),
  );
}

/** Cuts a word that is longer than a line, between user-perceived characters. */
function cut(word: string, width: number): string[] {
  const parts: string[] = [];
  for (let rest = word; widthOf(rest) > 0; ) {
    const part = firstColumns(rest, width);
    // A wide character does not fit into one column.
    if (widthOf(part) === 0) return [...parts, rest];
    parts.push(part);
    rest = Bun.sliceAnsi(rest, widthOf(part), widthOf(rest));
  }
  return parts;
}
