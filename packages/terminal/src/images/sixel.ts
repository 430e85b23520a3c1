import type { IndexedImage } from "./indexed-png.ts";

/** A sixel is a column of six pixels. Its character is this one plus the pixels' bits, the top pixel in the lowest bit. */
const FIRST_SIGN = 63;
const BAND_ROWS = 6;
/** A run of at least this length is written as a count. */
const MIN_REPEAT = 4;
/** Pixels that are less opaque leave the screen unchanged. */
const MIN_OPACITY = 128;

/** Returns the image as a sixel sequence: in bands of six rows, each band color by color. */
export function encodeSixel({ width, height, pixels, colours }: IndexedImage): string {
  const palette = colours.map(
    ([red, green, blue], number) => `#${number};2;${[red, green, blue].map(share).join(";")}`,
  );
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND_ROWS) {
    const rows = Math.min(BAND_ROWS, height - top);
    const byColour = new Map<number, Uint8Array>();
    for (let row = 0; row < rows; row += 1) {
      const at = (top + row) * width;
      for (let x = 0; x < width; x += 1) {
        const number = pixels[at + x]!;
        if ((colours[number]?.[3] ?? 0) < MIN_OPACITY) continue;
        const bits = byColour.get(number) ?? new Uint8Array(width);
        byColour.set(number, bits);
        bits[x]! |= 1 << row;
      }
    }
    bands.push([...byColour].map(([number, bits]) => `#${number}${runs(bits)}`).join("$"));
  }
  return `\u001bP0;1;0q"1;1;${width};${height}${palette.join("")}${bands.join("-")}\u001b\\`;
}

/** In percent. */
function share(value: number): number {
  return Math.round((value * 100) / 255);
}

function runs(bits: Uint8Array): string {
  let out = "";
  for (let x = 0; x < bits.length; ) {
    let end = x + 1;
    while (end < bits.length && bits[end] === bits[x]) end += 1;
    const sign = String.fromCharCode(FIRST_SIGN + bits[x]!);
    const isEmptyEnd = end === bits.length && bits[x] === 0;
    if (!isEmptyEnd) out += end - x >= MIN_REPEAT ? `!${end - x}${sign}` : sign.repeat(end - x);
    x = end;
  }
  return out;
}
