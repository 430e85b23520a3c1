import type { ImageContent } from "@pintle/ai";
import { imageTypeOf } from "@pintle/foundation";

/** Default limits of `resizeImage`. */
const MAX_SIDE = 2_000;
const MAX_BASE64_BYTES = 4.5 * 1024 * 1024;
const JPEG_QUALITY = 80;
/** Limits the declared canvas, because a small file can declare one that exhausts memory. */
const MAX_PIXELS = 100_000_000;
/** Scale factors that are tried until the image is small enough. */
const SHRINKING = [1, 0.75, 0.5, 0.35, 0.25] as const;
const SIGNATURE_BYTES = 16;

interface ResizeOptions {
  maxWidth?: number;
  maxHeight?: number;
  /** Limit of the base64 text. */
  maxBytes?: number;
  jpegQuality?: number;
}

interface ResizedImage {
  data: string;
  mimeType: string;
  originalWidth: number;
  originalHeight: number;
  width: number;
  height: number;
  wasResized: boolean;
}

type ResizeArguments =
  | [bytes: Uint8Array, mimeType: string, options?: ResizeOptions]
  /** Older versions accept a content block. */
  | [image: ImageContent, options?: ResizeOptions];

/** Fits an image into a size in pixels and bytes. Returns null if it cannot be decoded or cannot be made small enough. */
async function resizeImage(...args: ResizeArguments): Promise<ResizedImage | null> {
  const { bytes, mimeType, options } = readArguments(args);
  const { maxWidth = MAX_SIDE, maxHeight = MAX_SIDE, maxBytes = MAX_BASE64_BYTES } = options;
  try {
    const original = await decode(bytes).metadata();
    const described = { originalWidth: original.width, originalHeight: original.height };
    const fits = original.width <= maxWidth && original.height <= maxHeight;
    if (fits && base64Length(bytes) <= maxBytes) {
      await decode(bytes).resize(1, 1).png().bytes(); // throws for an image that consists of a header only
      const { width, height } = original;
      return { data: toBase64(bytes), mimeType, ...described, width, height, wasResized: false };
    }
    for (const share of SHRINKING) {
      const smaller = await smallest(bytes, maxWidth * share, maxHeight * share, options.jpegQuality ?? JPEG_QUALITY);
      if (base64Length(smaller.bytes) > maxBytes) continue;
      const { width, height } = await decode(smaller.bytes).metadata();
      return {
        data: toBase64(smaller.bytes),
        mimeType: smaller.mimeType,
        ...described,
        width,
        height,
        wasResized: true,
      };
    }
    return null;
  } catch {
    return null;
  }
}

function readArguments(args: ResizeArguments): { bytes: Uint8Array; mimeType: string; options: ResizeOptions } {
  const [first, second, third] = args;
  if (first instanceof Uint8Array) return { bytes: first, mimeType: String(second), options: third ?? {} };
  const { data, mimeType } = first;
  return { bytes: Buffer.from(data, "base64"), mimeType, options: typeof second === "object" ? second : {} };
}

const decode = (bytes: Uint8Array) => new Bun.Image(bytes, { maxPixels: MAX_PIXELS });

async function smallest(bytes: Uint8Array, maxWidth: number, maxHeight: number, quality: number) {
  const resized = () =>
    decode(bytes).resize(Math.max(1, Math.round(maxWidth)), Math.max(1, Math.round(maxHeight)), {
      fit: "inside",
      withoutEnlargement: true,
    });
  const [png, jpeg] = await Promise.all([resized().png().bytes(), resized().jpeg({ quality }).bytes()]);
  return jpeg.length < png.length ? { bytes: jpeg, mimeType: "image/jpeg" } : { bytes: png, mimeType: "image/png" };
}

async function convertToPng(data: string, mimeType: string): Promise<{ data: string; mimeType: string } | null> {
  if (mimeType === "image/png") return { data, mimeType };
  try {
    return { data: toBase64(await decode(Buffer.from(data, "base64")).png().bytes()), mimeType: "image/png" };
  } catch {
    return null;
  }
}

/** Tells the model how positions in a resized image relate to the original. */
function formatDimensionNote({ wasResized, ...image }: ResizedImage): string | undefined {
  if (!wasResized) return undefined;
  const { originalWidth, originalHeight, width, height } = image;
  const factor = (originalWidth / width).toFixed(2);
  return `[Image shown at ${width}x${height}, original ${originalWidth}x${originalHeight}: multiply coordinates by ${factor}]`;
}

async function detectSupportedImageMimeTypeFromFile(path: string): Promise<string | null> {
  const start = await Bun.file(path).slice(0, SIGNATURE_BYTES).arrayBuffer();
  return imageTypeOf(Buffer.from(start)) ?? null;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

const base64Length = ({ length }: Uint8Array) => Math.ceil(length / 3) * 4;

export const imageExports = { resizeImage, convertToPng, formatDimensionNote, detectSupportedImageMimeTypeFromFile };
