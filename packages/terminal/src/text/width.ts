const ELLIPSIS = "…";

/** Returns how many columns the text takes; escape sequences take none. */
export function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

/** Cuts the text to at most this many columns and ends it with an ellipsis if something is missing. Styles are closed. */
export function truncated(text: string, width: number, ellipsis = ELLIPSIS): string {
  if (widthOf(text) <= width) return text;
  const room = Math.max(0, width);
  const end = widthOf(ellipsis) <= room ? ellipsis : "";
  return `${firstColumns(text, room - widthOf(end))}${end}`;
}

/** Returns the text in the first columns, without a wide character that only begins there. */
export function firstColumns(text: string, columns: number): string {
  const cut = Bun.sliceAnsi(text, 0, columns);
  return widthOf(cut) > columns ? Bun.sliceAnsi(text, 0, columns - 1) : cut;
}

/** Fills the text up with spaces. */
export function padded(text: string, width: number): string {
  return `${text}${" ".repeat(Math.max(0, width - widthOf(text)))}`;
}
