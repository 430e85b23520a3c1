import { sep } from "node:path";

/** Returns one key for names that are equal on file systems that ignore case and Unicode composition. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/**
 * Returns the components that lead from a directory to a path, as keys: empty if both are the same, undefined if the path is
 * elsewhere. Both must be absolute. If case may or may not matter, this errs on the side of "the same".
 */
export function namesBelow(path: string, directory: string): string[] | undefined {
  const names = pathNames(path);
  const above = pathNames(directory);
  return above.every((name, index) => name === names[index]) ? names.slice(above.length) : undefined;
}

/** Returns the components of an absolute path, as keys. */
export function pathNames(path: string): string[] {
  return nameKey(path).split(sep).filter(Boolean);
}
