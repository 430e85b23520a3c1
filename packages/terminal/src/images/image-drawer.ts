import {
  allocateImageId,
  encodeITerm2,
  encodeKitty,
  getCellDimensions,
  getImageDimensions,
} from "@earendil-works/pi-tui";
import type { ImageContent } from "@pintle/client";
import { readIndexedPng } from "./indexed-png.ts";
import { encodeSixel } from "./sixel.ts";

/** How a terminal takes images. */
export type Graphics = "kitty" | "iterm2" | "sixel";

/** An image as the lines that draw it. */
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
  /** Where it leaves the cursor: in the first row of the image, or in its last. */
  cursor: "first" | "last";
}

type Source = Pick<ImageContent, "data" | "mimeType">;

const MAX_COLUMNS = 60;
const MAX_ROWS = 20;
/** Of the screen, for what stands around the image. */
const OTHER_ROWS = 4;
/** A small file can claim a canvas that fills the memory. */
const MAX_PIXELS = 50_000_000;
const MAX_COLOURS = 128;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const DRAW: Readonly<Record<Graphics, (source: Source, size: Size) => Promise<Drawing>>> = {
  async kitty({ data, mimeType }, { columns, rows, widthPx, heightPx }) {
    // It takes PNG alone.
    const png = mimeType === "image/png" ? data : await resized(data, widthPx, heightPx).png().toBase64();
    const sequence = encodeKitty(png, { columns, rows, imageId: allocateImageId(), moveCursor: false });
    return { sequence, cursor: "first" };
  },
  async iterm2({ data }, { columns }) {
    return {
      sequence: encodeITerm2(data, { width: columns, height: "auto", preserveAspectRatio: true }),
      cursor: "last",
    };
  },
  async sixel({ data }, { widthPx, heightPx }) {
    const png = await resized(data, widthPx, heightPx)
      .png({ palette: true, colors: MAX_COLOURS, dither: true })
      .toBuffer();
    return { sequence: `\u001b7${encodeSixel(readIndexedPng(png))}\u001b8`, cursor: "first" };
  },
};

/** Draws images where the terminal can show them. */
export class ImageDrawer {
  readonly #graphics: () => Graphics | undefined;
  readonly #screenRows: () => number;

  constructor(graphics: () => Graphics | undefined, screenRows: () => number) {
    this.#graphics = graphics;
    this.#screenRows = screenRows;
  }

  get canDraw(): boolean {
    return this.#graphics() !== undefined;
  }

  /** Undefined: the terminal cannot, or the image is none. The rows it takes are there before it is drawn. */
  async draw(source: Source): Promise<DrawnImage | undefined> {
    const graphics = this.#graphics();
    const { data, mimeType } = source;
    const dimensions = BASE64.test(data) ? getImageDimensions(data, mimeType) : null;
    const maxRows = Math.min(MAX_ROWS, this.#screenRows() - OTHER_ROWS);
    if (!graphics || !dimensions || maxRows < 1) return undefined;
    const size = sizeOf(dimensions, maxRows);
    try {
      return { columns: size.columns, lines: linesOf(await DRAW[graphics](source, size), size.rows) };
    } catch {
      return undefined; // broken, or too large: its line in the result says what it is
    }
  }
}

/** As large as it is, if there is room; a small one is not blown up. */
function sizeOf(dimensions: { widthPx: number; heightPx: number }, maxRows: number): Size {
  const cell = getCellDimensions();
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
  return new Bun.Image(Buffer.from(base64, "base64"), { maxPixels: MAX_PIXELS }).resize(width, height, { fit: "fill" });
}

function linesOf({ sequence, cursor }: Drawing, rows: number): string[] {
  const up = rows - 1;
  const before = up > 0 ? `\u001b[${up}A` : "";
  const after = up > 0 && cursor === "first" ? `\u001b[${up}B` : "";
  return [...Array.from({ length: up }, () => ""), `${before}${sequence}${after}`];
}
