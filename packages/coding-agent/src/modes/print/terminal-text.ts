import { visiblePath } from "@pintle/foundation";

// All model output for a terminal passes through here: an escape sequence in it could rename the window, write to the
// clipboard or hide earlier output.

/** Cleans an answer for a terminal: keeps lines, tabs and all letters, and removes everything that moves the cursor. */
export function terminalText(text: string): string {
  return text.replaceAll("\r", "").replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "?");
}

/** Cleans text for one line, and drops everything after the first line. */
export function terminalLine(text: string): string {
  const [first = "", ...more] = text.trim().split(/\r?\n/);
  return visiblePath(first.replaceAll("\t", " ").trimEnd()) + (more.length > 0 ? " …" : "");
}

/** Returns the beginning that fits into this number of columns. */
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
