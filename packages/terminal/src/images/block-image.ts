import { type IndexedImage, readIndexedPng } from "./indexed-png.ts";

/** A small file can claim a canvas that fills the memory. */
const MAX_PIXELS = 50_000_000;
const MAX_COLOURS = 128;
/** Pixels that are less opaque show the background of the terminal. */
const MIN_OPACITY = 128;

/** What a theme can paint. */
interface Painter {
  readonly hasManyColours: boolean;
  painted(text: string, colour: string, background?: string): string;
}

export interface Room {
  columns: number;
  rows: number;
}

/**
 * Draws an image with block characters, two pixels above each other per character. Unlike the image protocols, the result is
 * text, which can be redrawn and erased like any other line in every terminal with enough colors. Returns undefined without
 * colors. Rejects if the image cannot be decoded.
 */
export async function blockImage(bytes: Buffer, room: Room, theme: Painter): Promise<string[] | undefined> {
  if (!theme.hasManyColours) return undefined;
  const { width, height } = await new Bun.Image(bytes).metadata();
  const scale = Math.min(1, room.columns / width, (2 * room.rows) / height);
  const size = [width, height].map((length) => Math.max(1, Math.round(length * scale))) as [number, number];
  const small = new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).resize(...size, { fit: "fill" });
  const png = await small.png({ palette: true, colors: MAX_COLOURS }).toBuffer();
  return rowsOf(readIndexedPng(png), theme);
}

function rowsOf({ width, height, pixels, colours }: IndexedImage, theme: Painter): string[] {
  const hex = colours.map(([red, green, blue, opacity]) =>
    opacity < MIN_OPACITY ? undefined : `#${Buffer.from([red, green, blue]).toString("hex")}`,
  );
  const colourAt = (x: number, y: number) => (y < height ? hex[pixels[y * width + x]!] : undefined);
  return Array.from({ length: Math.ceil(height / 2) }, (_, row) =>
    Array.from({ length: width }, (_, x) => cell(colourAt(x, 2 * row), colourAt(x, 2 * row + 1), theme)).join(""),
  );
}

function cell(upper: string | undefined, lower: string | undefined, theme: Painter): string {
  if (upper !== undefined) return theme.painted("▀", upper, lower);
  return lower === undefined ? " " : theme.painted("▄", lower);
}
