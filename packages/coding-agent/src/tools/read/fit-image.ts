import type { ImageType } from "../../files/image-type.ts";

/** No provider looks at more than this; a larger image is only shrunk there. */
const LOOKED_AT_SIDE = 1568;
/** An image of fewer bytes is not worth another encoding. */
const SMALL_BYTES = 128 * 1024;
/** What is accepted at all: pixels of a side, and bytes of base64, which is what travels. */
const MAX_SIDE = 2000;
const MAX_BASE64_BYTES = 4.5 * 1024 * 1024;
/** A small file can claim a canvas that fills the memory. */
const MAX_PIXELS = 100_000_000;
/** Signature, size, 256 colours and room for more: before the transparent ones nothing else comes. */
const PALETTE_HEADER_BYTES = 2048;
/** Another encoding loses something, so it has to save at least a third. */
const WORTHWHILE_SHARE = 2 / 3;

export interface FittedImage {
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

/** Of these the smaller one; of this many pixels both are always accepted: screenshots are small with a palette, photographs as JPEG. Not every local server knows WebP. */
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

/** The image as models look at it; undefined if it had to be shrunk and may not be. Throws when it is broken. */
export async function fitImage(
  bytes: Uint8Array,
  mimeType: ImageType,
  mayResize: boolean,
): Promise<FittedImage | undefined> {
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
  // As JPEG all that is transparent would be black.
  if (hasTransparency(withPalette.bytes)) return withPalette;
  const jpeg = await encode(bytes, JPEG);
  return jpeg.bytes.length < withPalette.bytes.length ? jpeg : withPalette;
}

/** Of a PNG that was encoded here: with a palette the transparent colours are a chunk before the pixels. */
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

/** A broken image in the history makes the provider refuse this and every later request. */
async function proveDecodable(bytes: Uint8Array): Promise<void> {
  await new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).resize(1, 1).png().bytes();
}

function isSendable({ bytes }: Encoded): boolean {
  return Math.ceil(bytes.length / 3) * 4 <= MAX_BASE64_BYTES;
}
