import type { ImageContent } from "@pintle/client";
import { readIndexedPng } from "./indexed-png.ts";
import { encodeSixel } from "./sixel.ts";

/** The protocol by which a terminal draws images. */
export type Graphics = "kitty" | "iterm2" | "sixel";

/** The size of a character on the screen. */
export interface CellSize {
  widthPx: number;
  heightPx: number;
}

/** The lines that draw an image. */
export interface DrawnImage {
  columns: number;
  lines: readonly string[];
}

interface Size {
  columns: number;
  rows: number;
  widthPx: number;
  heightPx: number;
}

interface Drawing {
  sequence: string;
  /** Where it leaves the cursor: in the first row of the image or in the last. */
  cursor: "first" | "last";
}

type Source = Pick<ImageContent, "data" | "mimeType">;

const MAX_COLUMNS = 60;
const MAX_ROWS = 20;
/** Rows of the screen to keep free for what surrounds the image. */
const OTHER_ROWS = 4;
/** A small file can claim a canvas that fills the memory. */
const MAX_PIXELS = 50_000_000;
const MAX_COLOURS = 128;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const DRAW: Readonly<Record<Graphics, (source: Source, size: Size) => Promise<Drawing>>> = {
  async kitty({ data, mimeType }, { columns, rows, widthPx, heightPx }) {
    // This protocol accepts only PNG.
    const png = mimeType === "image/png" ? data : await resized(data, widthPx, heightPx).png().toBase64();
    const sequence = kittySequence(png, { columns, rows });
    return { sequence, cursor: "first" };
  },
  async iterm2({ data }, { columns }) {
    return { sequence: iterm2Sequence(data, columns), cursor: "last" };
  },
  async sixel({ data }, { widthPx, heightPx }) {
    const png = await resized(data, widthPx, heightPx)
      .png({ palette: true, colors: MAX_COLOURS, dither: true })
      .toBuffer();
    return { sequence: `\u001b7${encodeSixel(readIndexedPng(png))}\u001b8`, cursor: "first" };
  },
};

/** The facts on which the size of an image depends. */
interface ImageScreen {
  readonly rows: number;
  readonly cell: CellSize;
}

/** Draws images where the terminal can show them. */
export class ImageDrawer {
  readonly #graphics: () => Graphics | undefined;
  readonly #screen: ImageScreen;

  constructor(graphics: () => Graphics | undefined, screen: ImageScreen) {
    this.#graphics = graphics;
    this.#screen = screen;
  }

  get canDraw(): boolean {
    return this.#graphics() !== undefined;
  }

  /**
   * Returns undefined if the terminal cannot draw it, or it is not an image. Its rows are reserved before it is drawn.
   */
  async draw(source: Source): Promise<DrawnImage | undefined> {
    const graphics = this.#graphics();
    const maxRows = Math.min(MAX_ROWS, this.#screen.rows - OTHER_ROWS);
    if (!graphics || maxRows < 1 || !BASE64.test(source.data)) return undefined;
    try {
      const { width, height } = await imageOf(source.data).metadata();
      const size = sizeOf({ widthPx: width, heightPx: height }, maxRows, this.#screen.cell);
      return { columns: size.columns, lines: linesOf(await DRAW[graphics](source, size), size.rows) };
    } catch {
      return undefined; // damaged or too large; the result still has a line for it
    }
  }
}

/** Uses the image's own size if there is space; does not enlarge a small one. */
function sizeOf(dimensions: CellSize, maxRows: number, cell: CellSize): Size {
  const scale = Math.min(
    1,
    (MAX_COLUMNS * cell.widthPx) / dimensions.widthPx,
    (maxRows * cell.heightPx) / dimensions.heightPx,
  );
  const widthPx = Math.max(1, Math.floor(dimensions.widthPx * scale));
  const heightPx = Math.max(1, Math.floor(dimensions.heightPx * scale));
  return { widthPx, heightPx, columns: Math.ceil(widthPx / cell.widthPx), rows: Math.ceil(heightPx / cell.heightPx) };
}

function resized(base64: string, width: number, height: number): Bun.Image {
  return imageOf(base64).resize(width, height, { fit: "fill" });
}

function imageOf(base64: string): Bun.Image {
  return new Bun.Image(Buffer.from(base64, "base64"), { maxPixels: MAX_PIXELS });
}

function linesOf({ sequence, cursor }: Drawing, rows: number): string[] {
  const up = rows - 1;
  const before = up > 0 ? `\u001b[${up}A` : "";
  const after = up > 0 && cursor === "first" ? `\u001b[${up}B` : "";
  return [...Array.from({ length: up }, () => ""), `${before}${sequence}${after}`];
}

/** Kitty accepts base64 in pieces of this size. */
const PIECE = 4_096;
const MAX_ID = 0xffffffff;

/** Draws a PNG in kitty's protocol, at the cursor, without moving it. */
function kittySequence(png: string, { columns, rows }: { columns: number; rows: number }): string {
  const id = 1 + Math.floor(Math.random() * (MAX_ID - 1));
  const pieces = Array.from({ length: Math.max(1, Math.ceil(png.length / PIECE)) }, (_, index) =>
    png.slice(index * PIECE, (index + 1) * PIECE),
  );
  const first = `a=T,f=100,q=2,C=1,c=${columns},r=${rows},i=${id}`;
  return pieces
    .map((piece, index) => {
      const more = index < pieces.length - 1 ? 1 : 0;
      return `\u001b_G${index === 0 ? `${first},m=${more}` : `m=${more}`};${piece}\u001b\\`;
    })
    .join("");
}

/** Draws an image file in iTerm2's protocol; the cursor ends in its last row. */
function iterm2Sequence(base64: string, columns: number): string {
  const size = Buffer.byteLength(base64, "base64");
  return `\u001b]1337;File=inline=1;size=${size};width=${columns};height=auto;preserveAspectRatio=1:${base64}\u0007`;
}
