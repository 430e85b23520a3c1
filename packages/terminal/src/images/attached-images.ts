import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { InputImage } from "@pintle/client";
import { imageType } from "./image-type.ts";
import type { PastedImages } from "./pasted-images.ts";

const NAME = /\.(png|jpe?g|gif|webp)$/i;
/**
 * `@path`, or a path in a form that terminals type when a file is dropped on their window: absolute, escaped with backslashes,
 * quoted, or as a URL.
 */
const MENTIONS =
  /(?<=^|\s)(?:@"([^"\n]+)"|@(\S+)|"((?:~?\/|file:\/\/)[^"\n]+)"|'((?:~?\/|file:\/\/)[^'\n]+)'|((?:~?\/|file:\/\/)(?:\\.|[^\s\\])+))(?=\s|$)/g;
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

/**
 * Returns the images that a message names by path or contains as pastes. Anything that is not an image, or cannot be read,
 * stays text.
 */
export async function attachedImages(text: string, cwd: string, pasted: PastedImages): Promise<InputImage[]> {
  const paths = [...text.matchAll(MENTIONS)].map(
    ([, quoted, plain, inDouble, inSingle, dropped = ""]) =>
      quoted ?? plain ?? inDouble ?? inSingle ?? dropped.replace(/\\(.)/g, "$1"),
  );
  const images = await Promise.all([...new Set(paths)].map((path) => readImage(path, cwd)));
  return [...images.filter((image) => image !== undefined), ...pasted.namedIn(text)];
}

export function toInputImage(bytes: Buffer): InputImage | undefined {
  const mimeType = imageType(bytes);
  return mimeType === undefined ? undefined : { type: "image", data: bytes.toString("base64"), mimeType };
}

async function readImage(path: string, cwd: string): Promise<InputImage | undefined> {
  if (!NAME.test(path)) return undefined;
  try {
    const place = placeOf(path, cwd);
    const info = await stat(place);
    return info.isFile() && info.size <= MAX_IMAGE_BYTES ? toInputImage(await readFile(place)) : undefined;
  } catch {
    return undefined; // no such file: the text is not a path
  }
}

function placeOf(path: string, cwd: string): string {
  if (path.startsWith("file://")) return fileURLToPath(path);
  return path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : resolve(cwd, path);
}
