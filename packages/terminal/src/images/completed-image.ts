import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { App } from "../app.ts";
import { blockImage, type Room } from "./block-image.ts";
import { imageType } from "./image-type.ts";

const NAME = /\.(?:png|jpe?g|gif|webp)$/i;
/** Larger files are listed like files of other types. */
const MAX_BYTES = 5 * 1024 * 1024;

export interface CompletedImage {
  facts: string;
  /** Draws the image into as many rows and columns. */
  preview(room: Room): Promise<readonly string[] | undefined>;
}

/** Returns format, dimensions, size and a preview of an image file, or undefined for any other file. */
export async function completedImage(
  path: string,
  { options, theme }: Pick<App, "options" | "theme">,
): Promise<CompletedImage | undefined> {
  if (!NAME.test(path)) return undefined;
  try {
    const file = resolve(options.cwd, path);
    const { size } = await stat(file);
    if (size > MAX_BYTES) return undefined;
    const bytes = await readFile(file);
    const type = imageType(bytes);
    if (type === undefined) return undefined;
    const { width, height } = await new Bun.Image(bytes).metadata();
    const kilobytes = Math.max(1, Math.round(size / 1024));
    return {
      facts: `${type.slice("image/".length).toUpperCase()} ${width}×${height}, ${kilobytes} KB`,
      preview: (room) => blockImage(bytes, room, theme),
    };
  } catch {
    return undefined; // a file that cannot be read or decoded is listed without a description
  }
}
