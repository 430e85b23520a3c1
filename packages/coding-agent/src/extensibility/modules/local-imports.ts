import { readFileSync } from "node:fs";
import { dirname, extname } from "node:path";

const LOADERS: Readonly<Record<string, Bun.JavaScriptLoader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};
/** A path, not the name of a package. */
const LOCAL = /^(?:\.{1,2}\/|\/|\.{1,2}$)/;
/** More than any module of a user has; a bundle that imports itself in circles ends anyway. */
const MAX_FILES = 5_000;

/** The file and everything it imports by path, directly or not, as its text says now. Nothing is run. */
export function withLocalImports(entry: string): Set<string> {
  const files = new Set([entry]);
  for (const file of files) {
    for (const imported of importedPaths(file)) if (files.size < MAX_FILES) files.add(imported);
  }
  return files;
}

function importedPaths(file: string): string[] {
  const loader = LOADERS[extname(file)];
  if (!loader) return [];
  try {
    const imports = new Bun.Transpiler({ loader }).scanImports(readFileSync(file, "utf8"));
    return imports.flatMap(({ path }) => (LOCAL.test(path) ? resolveFrom(file, path) : []));
  } catch {
    return []; // not there or not readable as code: it will say so itself when it is imported
  }
}

function resolveFrom(file: string, path: string): string[] {
  try {
    return [Bun.resolveSync(path, dirname(file))];
  } catch {
    return [];
  }
}
