/** How drawings start: kitty's protocol, that of iTerm2, and sixel. */
const DRAWINGS = ["\u001b_G", "\u001b]1337;File=", "\u001bP"];

/**
 * Returns whether the line draws an image: it has no width of its own, and cannot be cut. Text never contains such
 * sequences.
 */
export function isDrawing(line: string): boolean {
  return DRAWINGS.some((start) => line.includes(start));
}
