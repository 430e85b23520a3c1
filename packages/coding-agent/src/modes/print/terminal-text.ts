import { visiblePath } from "@pintle/foundation";

// All model output for a terminal passes through here: an escape sequence in it could rename the window, write to the
// clipboard or hide earlier output.

/** An answer on a terminal: lines, tabs and every letter stay, nothing that moves the cursor does. */
export function terminalText(text: string): string {
  return text.replaceAll("\r", "").replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "?");
}

/** On one line: what begins a second line is left out. */
export function terminalLine(text: string): string {
  const [first = "", ...more] = text.trim().split(/\r?\n/);
  return visiblePath(first.replaceAll("\t", " ").trimEnd()) + (more.length > 0 ? " …" : "");
}

/** The beginning that fits into so many columns. */
export function cutToWidth(text: string, columns: number): string {
  if (Bun.stringWidth(text) <= columns) return text;
  let width = 0;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += Bun.stringWidth(segment);
    if (width > columns - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
