const MAX_IMAGE_SIDE = 2000;
/** Of base64, which is what travels. */
const MAX_BASE64_BYTES = 4.5 * 1024 * 1024;
/** A small file can claim a canvas that fills the memory. */
const MAX_PIXELS = 100_000_000;

export interface FittedImage {
  base64: string;
  mimeType: string;
  width: number;
  height: number;
  original: { width: number; height: number };
}

interface Attempt {
  side: number;
  encode(image: Bun.Image): Bun.Image;
  mimeType: string;
}

/** From the best looking to the smallest. */
const ATTEMPTS: readonly Attempt[] = [
  { side: MAX_IMAGE_SIDE, encode: (image) => image.png(), mimeType: "image/png" },
  { side: MAX_IMAGE_SIDE, encode: (image) => image.jpeg({ quality: 85 }), mimeType: "image/jpeg" },
  { side: MAX_IMAGE_SIDE, encode: (image) => image.jpeg({ quality: 60 }), mimeType: "image/jpeg" },
  { side: 1000, encode: (image) => image.jpeg({ quality: 60 }), mimeType: "image/jpeg" },
  { side: 500, encode: (image) => image.jpeg({ quality: 40 }), mimeType: "image/jpeg" },
];

/** The image as models take it, shrunk only if it must be; undefined if it must be and may not. Throws when it is broken. */
export async function fitImage(
  bytes: Uint8Array,
  mimeType: string,
  mayResize: boolean,
): Promise<FittedImage | undefined> {
  const original = await new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).metadata();
  if (fits(original) && base64Length(bytes.length) <= MAX_BASE64_BYTES) {
    await proveDecodable(bytes);
    return { base64: toBase64(bytes), mimeType, width: original.width, height: original.height, original };
  }
  if (!mayResize) return undefined;
  for (const { side, encode, mimeType: encodedType } of ATTEMPTS) {
    const image = new Bun.Image(bytes, { maxPixels: MAX_PIXELS });
    const encoded = await encode(image.resize(side, side, { fit: "inside", withoutEnlargement: true })).bytes();
    if (base64Length(encoded.length) > MAX_BASE64_BYTES) continue;
    const { width, height } = await new Bun.Image(encoded).metadata();
    return { base64: toBase64(encoded), mimeType: encodedType, width, height, original };
  }
  return undefined;
}

/** A broken image in the history makes the provider refuse this and every later request. */
async function proveDecodable(bytes: Uint8Array): Promise<void> {
  await new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).resize(1, 1).png().bytes();
}

function fits({ width, height }: { width: number; height: number }): boolean {
  return width <= MAX_IMAGE_SIDE && height <= MAX_IMAGE_SIDE;
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
