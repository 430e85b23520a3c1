import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { InputImage } from "@pintle/client";

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};
/** `@path`, or a path as terminals write it when a file is dropped on their window: absolute, spaces behind a backslash. */
const MENTIONS = /(?<=^|\s)(?:@"([^"\n]+)"|@(\S+)|((?:~?\/)(?:\\ |[^\s])+))(?=\s|$)/g;
const MAX_BYTES = 20 * 1024 * 1024;

/** The images that a message names by their paths; what is none, or cannot be read, is text like any other. */
export async function attachedImages(text: string, cwd: string): Promise<InputImage[]> {
  const paths = [...text.matchAll(MENTIONS)].map((match) => match[1] ?? match[2] ?? match[3]!.replaceAll("\\ ", " "));
  const images = await Promise.all([...new Set(paths)].map((path) => readImage(path, cwd)));
  return images.filter((image) => image !== undefined);
}

async function readImage(path: string, cwd: string): Promise<InputImage | undefined> {
  const mimeType = TYPES[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""];
  if (mimeType === undefined) return undefined;
  const place = path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : resolve(cwd, path);
  try {
    const info = await stat(place);
    if (!info.isFile() || info.size > MAX_BYTES) return undefined;
    return { type: "image", data: (await readFile(place)).toString("base64"), mimeType };
  } catch {
    return undefined; // there is no such file: the words are meant as they are
  }
}
