import { basename, isAbsolute, relative, resolve } from "node:path";

const PATH_KEY = /(^|[a-z_])paths?$/i;

/** The files that a call's arguments name: as written, relative to the directory, absolute, and by their last part. */
export function pathsIn(args: Readonly<Record<string, unknown>>, cwd: string): string[] {
  const written = Object.entries(args).flatMap(([key, value]) => {
    if (!PATH_KEY.test(key)) return [];
    return (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === "string");
  });
  return [...new Set(written.filter((path) => path !== "").flatMap((path) => spellings(path, cwd)))];
}

function spellings(path: string, cwd: string): string[] {
  const absolute = isAbsolute(path) ? path : resolve(cwd, path);
  return [path, relative(cwd, absolute), absolute, basename(absolute)];
}
