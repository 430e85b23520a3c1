import { canonicalPath } from "../../files/canonical-path.ts";
import { isSystemError } from "../../files/system-error.ts";

/** Returns where a path leads, or undefined if the system cannot say. */
export function realPathOf(path: string): string | undefined {
  try {
    return canonicalPath(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
