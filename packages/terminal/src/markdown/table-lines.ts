import type { Tokens } from "@pintle/page/markdown";
import type { Theme } from "../screen/theme.ts";
import { widthOf } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";
import { inlineText } from "./inline-text.ts";

type Align = "center" | "left" | "right" | null;

const MIN_COLUMN = 3;

/** Lays a table out in a frame. Cells of a table that is wider than the window are wrapped. */
export function tableLines({ header, rows, align }: Tokens.Table, width: number, theme: Theme): string[] {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => inlineText(tokens, theme)));
  const heads = cells[0]!.map((cell) => theme.bold(cell));
  // A frame and a space on each side of a cell.
  const widths = columnWidths(cells, width - 3 * header.length - 1);
  const rule = (left: string, middle: string, right: string) =>
    theme.dim(`${left}${widths.map((columns) => "─".repeat(columns + 2)).join(middle)}${right}`);
  const body = cells.slice(1).flatMap((row) => rowLines(row, widths, align, theme));
  return [
    rule("┌", "┬", "┐"),
    ...rowLines(heads, widths, align, theme),
    rule("├", "┼", "┤"),
    ...body,
    rule("└", "┴", "┘"),
  ];
}

/** Narrows the widest columns until the table fits, or every column has its minimum width. */
function columnWidths(cells: readonly (readonly string[])[], room: number): number[] {
  const widths = cells[0]!.map((_, column) => Math.max(1, ...cells.map((row) => widthOf(row[column] ?? ""))));
  for (let total = widths.reduce((sum, one) => sum + one, 0); total > room; total -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= MIN_COLUMN) break;
    widths[widest]! -= 1;
  }
  return widths;
}

function rowLines(
  cells: readonly string[],
  widths: readonly number[],
  align: readonly Align[],
  theme: Theme,
): string[] {
  const columns = widths.map((width, index) => wrapped(cells[index] ?? "", width));
  const height = Math.max(...columns.map((lines) => lines.length));
  const bar = theme.dim("│");
  return Array.from({ length: height }, (_, line) => {
    const parts = columns.map((lines, index) => aligned(lines[line] ?? "", widths[index]!, align[index] ?? "left"));
    return `${bar} ${parts.join(` ${bar} `)} ${bar}`;
  });
}

function aligned(text: string, width: number, align: NonNullable<Align>): string {
  const gap = Math.max(0, width - widthOf(text));
  const left = { left: 0, right: gap, center: Math.floor(gap / 2) }[align];
  return `${" ".repeat(left)}${text}${" ".repeat(gap - left)}`;
}
