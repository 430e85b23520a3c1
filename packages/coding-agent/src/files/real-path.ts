import { realpathSync } from "node:fs";
import { isBadName, isSystemError } from "./system-error.ts";

/** Where it really is, whatever links lead there. Undefined: nothing has that name, or it cannot be reached. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isSystemError(error) || isBadName(error)) return undefined;
    throw error;
  }
}

/** Whether two names lead to one file. A name that leads nowhere is the same as no other. */
export function isSameFile(one: string, other: string): boolean {
  const target = realPath(one);
  return target !== undefined && target === realPath(other);
}
