import type { ToolResult } from "@pintle/agent";
import { errorCode, type ImageType } from "@pintle/foundation";
import type { ReadDetails } from "../read.ts";
import { formatBytes } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

interface ImageFile {
  shownPath: string;
  mimeType: ImageType;
  size: number;
  load(): Promise<Uint8Array>;
}

/** Returns the image for the model, or the reason why it is omitted. */
export async function readImage(file: ImageFile, context: ToolContext): Promise<ToolResult<ReadDetails>> {
  const { shownPath, mimeType, size } = file;
  const what = `${shownPath} is an image (${mimeType}, ${formatBytes(size)})`;
  const leftOut = reasonToLeaveOut(context) ?? (size > MAX_FILE_BYTES ? "it is too large" : undefined);
  if (leftOut) return noteOnly(`[${what}. It was omitted: ${leftOut}.]`, mimeType);

  const image = await fit(file, context.settings.get("images.autoResize"));
  if (!image) return noteOnly(`[${what}. It was omitted: it is too large for a model.]`, mimeType);
  return {
    content: [
      { type: "text", text: `[${what}, ${sizeText(image)}.]` },
      { type: "image", data: image.base64, mimeType: image.mimeType },
    ],
    details: { kind: "image", mimeType: image.mimeType },
  };
}

function reasonToLeaveOut(context: ToolContext): string | undefined {
  if (context.settings.get("images.blockImages")) return "images are disabled (images.blockImages)";
  return context.takesImages() ? undefined : "the current model does not accept images";
}

async function fit({ shownPath, mimeType, load }: ImageFile, mayResize: boolean): Promise<FittedImage | undefined> {
  const bytes = await load();
  try {
    return await fitImage(bytes, mimeType, mayResize);
  } catch (error) {
    throw new Error(`${shownPath} looks like an image but cannot be decoded (${String(errorCode(error))}).`, {
      cause: error,
    });
  }
}

function sizeText({ width, height, original }: FittedImage): string {
  const isShrunk = width !== original.width || height !== original.height;
  const shown = `${width}x${height} pixels`;
  return isShrunk ? `shown with ${shown} instead of ${original.width}x${original.height}` : shown;
}

function noteOnly(text: string, mimeType: string): ToolResult<ReadDetails> {
  return { content: [{ type: "text", text }], details: { kind: "image", mimeType } };
}

/** Providers shrink larger images to this size anyway. */
const LOOKED_AT_SIDE = 1568;
/** Smaller images are not worth re-encoding. */
const SMALL_BYTES = 128 * 1024;
/** Providers' limits: pixels per side, and bytes in base64, the form in which images are sent. */
const MAX_SIDE = 2000;
const MAX_BASE64_BYTES = 4.5 * 1024 * 1024;
/** Limits the canvas, because even a small file can declare one that fills the memory. */
const MAX_PIXELS = 100_000_000;
/** Covers signature, size and 256 colors. The transparent colors follow. */
const PALETTE_HEADER_BYTES = 2048;
/** Re-encoding loses quality, so it has to save at least a third. */
const WORTHWHILE_SHARE = 2 / 3;

interface FittedImage {
  base64: string;
  mimeType: string;
  width: number;
  height: number;
  original: { width: number; height: number };
}

interface Encoding {
  side: number;
  encode(image: Bun.Image): Bun.Image;
  mimeType: ImageType;
}

/**
 * Encodings to try: the smaller result is used. Screenshots are small with a palette, photographs as JPEG. WebP is not an
 * option, because not every local server supports it.
 */
const PALETTE: Encoding = {
  side: LOOKED_AT_SIDE,
  encode: (image) => image.png({ palette: true }),
  mimeType: "image/png",
};
const JPEG: Encoding = {
  side: LOOKED_AT_SIDE,
  encode: (image) => image.jpeg({ quality: 85 }),
  mimeType: "image/jpeg",
};

interface Encoded {
  bytes: Uint8Array;
  mimeType: ImageType;
}

/**
 * Converts an image to what models accept. Returns undefined if it would have to be shrunk and may not be. Throws if it is
 * damaged.
 */
async function fitImage(bytes: Uint8Array, mimeType: ImageType, mayResize: boolean): Promise<FittedImage | undefined> {
  const original = await new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).metadata();
  const side = Math.max(original.width, original.height);
  const asItIs = { bytes, mimeType };
  const isAccepted = side <= MAX_SIDE && isSendable(asItIs);
  if (!mayResize && !isAccepted) return undefined;
  if (!mayResize || (side <= LOOKED_AT_SIDE && bytes.length <= SMALL_BYTES)) {
    await proveDecodable(bytes);
    return fitted(asItIs, original);
  }
  const good = await smallest(bytes);
  const keepsOriginal = isAccepted && side <= LOOKED_AT_SIDE && good.bytes.length > bytes.length * WORTHWHILE_SHARE;
  return fitted(keepsOriginal ? asItIs : good, original);
}

async function smallest(bytes: Uint8Array): Promise<Encoded> {
  const withPalette = await encode(bytes, PALETTE);
  // JPEG would turn transparent pixels black.
  if (hasTransparency(withPalette.bytes)) return withPalette;
  const jpeg = await encode(bytes, JPEG);
  return jpeg.bytes.length < withPalette.bytes.length ? jpeg : withPalette;
}

/** Whether a PNG encoded here has transparent colors, which a palette lists in a chunk before the pixels. */
function hasTransparency(png: Uint8Array): boolean {
  const header = Buffer.from(png.buffer, png.byteOffset, Math.min(png.byteLength, PALETTE_HEADER_BYTES));
  return header.includes("tRNS");
}

async function encode(bytes: Uint8Array, { side, encode: as, mimeType }: Encoding): Promise<Encoded> {
  const image = new Bun.Image(bytes, { maxPixels: MAX_PIXELS });
  const resized = image.resize(side, side, { fit: "inside", withoutEnlargement: true });
  return { bytes: await as(resized).bytes(), mimeType };
}

async function fitted({ bytes, mimeType }: Encoded, original: Bun.Image.Metadata): Promise<FittedImage> {
  const { width, height } = await new Bun.Image(bytes).metadata();
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { base64, mimeType, width, height, original };
}

/** Decodes the image as a check: with a damaged image in the history, the provider refuses this and every later request. */
async function proveDecodable(bytes: Uint8Array): Promise<void> {
  await new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).resize(1, 1).png().bytes();
}

function isSendable({ bytes }: Encoded): boolean {
  return Math.ceil(bytes.length / 3) * 4 <= MAX_BASE64_BYTES;
}
