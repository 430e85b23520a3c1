/** Formats rows as aligned columns; the first row is the heading. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? "")))) ?? [];
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => padEnd(cell, widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function padEnd(text: string, width: number): string {
  return text + " ".repeat(width - Bun.stringWidth(text));
}
