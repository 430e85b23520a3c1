import { isImageLine } from "@earendil-works/pi-tui/dist/terminal-image.js";

const SIXEL = "\u001bP";

/** The line draws an image: it has no width of its own, and cannot be cut. Texts never hold such sequences. */
export function isDrawing(line: string): boolean {
  return isImageLine(line) || line.includes(SIXEL);
}
