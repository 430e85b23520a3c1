import { inflateSync } from "node:zlib";

/** An image as color numbers, row by row. */
export interface IndexedImage {
  width: number;
  height: number;
  pixels: Uint8Array;
  /** Red, green, blue and opacity, each 0 to 255. */
  colours: readonly (readonly [number, number, number, number])[];
}

const SIGNATURE_BYTES = 8;
const PALETTE_TYPE = 3;

/** Reads a PNG with a palette and one byte per pixel, the format that the runtime writes if asked for a palette. */
export function readIndexedPng(file: Buffer): IndexedImage {
  const chunks = readChunks(file);
  const [header, palette] = [chunks("IHDR"), chunks("PLTE")];
  const [depth, type, , , interlace] = header.subarray(8);
  if (depth !== 8 || type !== PALETTE_TYPE || interlace !== 0) throw new Error("not a plain PNG with a palette");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const opacity = chunks("tRNS");
  const colours = Array.from({ length: palette.length / 3 }, (_, index) => {
    const [red = 0, green = 0, blue = 0] = palette.subarray(index * 3);
    return [red, green, blue, opacity[index] ?? 255] as const;
  });
  const pixels = unfiltered(inflateSync(chunks("IDAT"), { maxOutputLength: (width + 1) * height }), width, height);
  return { width, height, pixels, colours };
}

/** Returns the content of all chunks with this name; empty if there are none. */
function readChunks(file: Buffer): (name: string) => Buffer {
  const parts: { name: string; content: Buffer }[] = [];
  for (let at = SIGNATURE_BYTES; at + 8 <= file.length; ) {
    const length = file.readUInt32BE(at);
    parts.push({ name: file.toString("latin1", at + 4, at + 8), content: file.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return (name) => Buffer.concat(parts.filter((part) => part.name === name).map(({ content }) => content));
}

/** Bytes are encoded relative to their neighbours: left, above, and upper left. */
const FILTERS: readonly ((left: number, above: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];

function unfiltered(data: Buffer, width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const from = y * (width + 1);
    const filter = FILTERS[data[from] ?? -1];
    if (!filter) throw new Error("an unknown filter");
    const at = y * width;
    for (let x = 0; x < width; x += 1) {
      const left = x > 0 ? pixels[at + x - 1]! : 0;
      const above = y > 0 ? pixels[at + x - width]! : 0;
      const corner = x > 0 && y > 0 ? pixels[at + x - width - 1]! : 0;
      pixels[at + x] = data[from + 1 + x]! + filter(left, above, corner);
    }
  }
  return pixels;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [byLeft, byAbove, byCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}
