import { canonicalPath, isSystemError } from "@pintle/foundation";

/** Returns where a path leads, or undefined if the system cannot say. */
export function realPathOf(path: string): string | undefined {
  try {
    return canonicalPath(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
