import { widthOf } from "../text/width.ts";
import { unitsOf } from "./text-units.ts";

/** A row on the screen: the part of the text from `start` to `end`. */
export interface TextRow {
  text: string;
  start: number;
  end: number;
}

/** Breaks a text into rows of at most this many columns, between words where it can. */
export function textRows(text: string, width: number): TextRow[] {
  const rows: TextRow[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    addRows(rows, line, start, Math.max(1, width));
    start += line.length + 1;
  }
  return rows;
}

function addRows(rows: TextRow[], line: string, offset: number, width: number): void {
  let start = 0;
  let columns = 0;
  /** The position after the last space, where the row can break, and its column. */
  let gap: { at: number; columns: number } | undefined;
  const end = (at: number) => {
    rows.push({ text: line.slice(start, at), start: offset + start, end: offset + at });
    start = at;
    gap = undefined;
  };
  for (const unit of unitsOf(line)) {
    const size = widthOf(unit.text);
    if (columns + size > width && unit.start > start && unit.text !== " ") {
      columns -= gap?.columns ?? columns;
      end(gap?.at ?? unit.start);
    }
    columns += size;
    if (unit.text === " ") gap = { at: unit.end, columns };
  }
  end(line.length);
}

export interface Spot {
  row: number;
  column: number;
}

/** Returns the row and column of a position. Between two rows of one line it is at the start of the lower one. */
export function spotOf(rows: readonly TextRow[], position: number): Spot {
  const row = Math.max(
    0,
    rows.findLastIndex(({ start }) => start <= position),
  );
  const { text = "", start = 0 } = rows[row] ?? {};
  return { row, column: widthOf(text.slice(0, position - start)) };
}

/** Returns the position at or before a column of a row. */
export function positionAt(rows: readonly TextRow[], { row, column }: Spot): number {
  const { text = "", start = 0 } = rows[row] ?? {};
  let columns = 0;
  let position = 0;
  const isLast = rows[row + 1]?.start !== rows[row]?.end;
  for (const unit of unitsOf(text)) {
    columns += widthOf(unit.text);
    // The end of a row that continues below is the start of the next one.
    if (columns > column || (unit.end === text.length && !isLast)) break;
    position = unit.end;
  }
  return start + position;
}
