import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { imageType } from "./image-type.ts";

const NAME = /\.(?:png|jpe?g|gif|webp)$/i;
/** Larger files are not read for a description. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Returns the format, dimensions and size of an image file, or undefined for any other file. */
export async function imageFacts(path: string, cwd: string): Promise<string | undefined> {
  if (!NAME.test(path)) return undefined;
  try {
    const file = resolve(cwd, path);
    const { size } = await stat(file);
    if (size > MAX_BYTES) return undefined;
    const bytes = await readFile(file);
    const type = imageType(bytes);
    if (type === undefined) return undefined;
    const { width, height } = await new Bun.Image(bytes).metadata();
    return `${type.slice("image/".length).toUpperCase()} ${width}×${height}, ${Math.max(1, Math.round(size / 1024))} KB`;
  } catch {
    return undefined; // a file that cannot be read or decoded is listed without a description
  }
}
