import type { IndexedImage } from "./indexed-png.ts";

/** A sixel is six pixels of a column; its sign is this one and further by their bits, the highest pixel in the lowest bit. */
const FIRST_SIGN = 63;
const BAND_ROWS = 6;
/** Repeats are written as a count from here on. */
const MIN_REPEAT = 4;
/** Pixels that are less opaque are left as they are on the screen. */
const MIN_OPACITY = 128;

/** The image as a sixel sequence: by bands of six rows, in each band colour by colour. */
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

/** In hundredths. */
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
