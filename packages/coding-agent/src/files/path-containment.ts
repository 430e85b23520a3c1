import { sep } from "node:path";

/** One key for names that are the same on file systems that tell neither case nor composed characters apart. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/**
 * The names that lead from a directory to a path, as keys; none when they are the same, undefined when the path is
 * elsewhere. Both absolute. Where case may or may not count this errs on the side of "the same".
 */
export function namesBelow(path: string, directory: string): string[] | undefined {
  const names = namesOf(path);
  const above = namesOf(directory);
  return above.every((name, index) => name === names[index]) ? names.slice(above.length) : undefined;
}

function namesOf(path: string): string[] {
  return nameKey(path).split(sep).filter(Boolean);
}
