import { readFileSync } from "node:fs";
import { dirname, extname } from "node:path";

/** What an entry file is imported as, for every entry that was imported in this process. */
const specifiers = new Map<string, string>();
const unfinished = new Set<string>();
let reloads = 0;

/** Runs a module of a user, once per process until it is forgotten. May never settle. */
export async function importFile(file: string): Promise<unknown> {
  const specifier = specifiers.get(file) ?? file;
  specifiers.set(file, specifier);
  unfinished.add(specifier);
  try {
    return await import(specifier);
  } finally {
    unfinished.delete(specifier);
  }
}

/** The next import of these entries runs them again, with their local imports, as they are on disk then. */
export function forgetModules(entries: readonly string[]): void {
  for (const entry of entries) {
    const specifier = specifiers.get(entry) ?? entry;
    // Bun never lets go of a module that is still waiting for something; under another name it is a new one.
    if (unfinished.delete(specifier)) {
      reloads += 1;
      specifiers.set(entry, `${entry}?${reloads}`);
    }
    // By name, because those that failed are kept too but are not listed.
    for (const file of [specifier, ...withLocalImports(entry)]) delete require.cache[file];
  }
}

/** Which loaded entry a file belongs to: it is one, or one imports it by path. */
export function entryOf(file: string): string | undefined {
  if (specifiers.has(file)) return file;
  return [...specifiers.keys()].find((entry) => withLocalImports(entry).has(file));
}

/** The path starts where the first one on the line does: it may have blanks and parentheses itself. */
const FRAME = /(?:^|\(|\s|file:\/\/)(\/.*?|[A-Za-z]:[\\/].*?)(?:\?\d+)?:\d+(?::\d+)?\)?$/;

/** The files in the text of a stack, the innermost first. */
export function filesInStack(stack: string): string[] {
  return stack.split("\n").flatMap((line) => FRAME.exec(line.trimEnd())?.[1] ?? []);
}

/** The entry of the module an error comes from, when its stack says so: for uncaught errors. */
export function entryBehind(error: unknown): string | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  if (typeof stack !== "string") return undefined;
  for (const file of filesInStack(stack)) {
    const entry = entryOf(file);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

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
