import { readFileSync } from "node:fs";
import { isSystemError } from "./system-error.ts";

/** Returns the text of a file, or an empty text if the file does not exist or cannot be read. */
export function textOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error)) return "";
    throw error;
  }
}
