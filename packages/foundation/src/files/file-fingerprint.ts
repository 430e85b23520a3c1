import { lstatSync } from "node:fs";
import { errorCode } from "./system-error.ts";

/**
 * Identifies the state of a file: it changes as soon as the file is modified, replaced, created or removed. Links are not
 * followed.
 */
export function fileFingerprint(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return errorCode(error) ?? "unknown";
  }
}
