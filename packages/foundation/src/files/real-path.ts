import { realpathSync } from "node:fs";
import { isBadName, isSystemError } from "./system-error.ts";

/** Resolves all links of a path. Returns undefined if it does not exist, or cannot be reached. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isSystemError(error) || isBadName(error)) return undefined;
    throw error;
  }
}

/** Returns whether two names lead to the same file. A name that leads nowhere equals no other. */
export function isSameFile(one: string, other: string): boolean {
  const target = realPath(one);
  return target !== undefined && target === realPath(other);
}
