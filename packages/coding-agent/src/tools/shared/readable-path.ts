import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isMissing, isSystemError } from "@pintle/foundation";
import { resolveToolPath } from "./paths.ts";

/**
 * Returns the absolute path of something to read. If it does not exist and exactly one name there looks the same (accents
 * stored in two parts, the narrow space in a screenshot's name, a curly apostrophe), returns that one. Also finds names that
 * start with `@`. Writing is stricter: see resolveToolPath.
 */
export async function resolveReadablePath(path: string, cwd: string): Promise<string> {
  const plain = resolveToolPath(path, cwd);
  const found = await findLookAlike(plain);
  if (found !== undefined) return found;
  const marked = path.startsWith("@") ? await findLookAlike(resolve(cwd, path)) : undefined;
  return marked ?? plain;
}

async function findLookAlike(path: string): Promise<string | undefined> {
  if (await exists(path)) return path;
  const parent = dirname(path);
  if (parent === path) return undefined;
  const directory = await findLookAlike(parent);
  if (directory === undefined) return undefined;
  const wanted = lookOf(basename(path));
  const [match, other] = (await namesIn(directory)).filter((name) => lookOf(name) === wanted);
  return match !== undefined && other === undefined ? join(directory, match) : undefined;
}

function lookOf(name: string): string {
  return name
    .normalize("NFC")
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s/g, " ");
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    if (isSystemError(error)) return true; // Opening the file reports the error.
    throw error;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}
