import { readFileSync } from "node:fs";
import { dirname, extname } from "node:path";

/** The specifier under which each entry was imported in this process. */
const specifiers = new Map<string, string>();
const unfinished = new Set<string>();
let reloads = 0;

/** Runs a user's module, once per process until it is forgotten. May never settle. */
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

/** Makes the next import of these entries run them again from disk, with their local imports. */
export function forgetModules(entries: readonly string[]): void {
  for (const entry of entries) {
    const specifier = specifiers.get(entry) ?? entry;
    // Bun never releases a module that is still waiting for something; under another name it is a new one.
    if (unfinished.delete(specifier)) {
      reloads += 1;
      specifiers.set(entry, `${entry}?${reloads}`);
    }
    // Delete by name, because failed modules are cached too but are not listed.
    for (const file of [specifier, ...withLocalImports(entry)]) delete require.cache[file];
  }
}

/** Returns the loaded entry that a file belongs to: itself, or one that imports it by path. */
export function entryOf(file: string): string | undefined {
  if (specifiers.has(file)) return file;
  return [...specifiers.keys()].find((entry) => withLocalImports(entry).has(file));
}

/** The path starts at the first one on the line, because it may itself contain blanks and parentheses. */
const FRAME = /(?:^|\(|\s|file:\/\/)(\/.*?|[A-Za-z]:[\\/].*?)(?:\?\d+)?:\d+(?::\d+)?\)?$/;

/** Returns the files in a stack trace, innermost first. */
export function filesInStack(stack: string): string[] {
  return stack.split("\n").flatMap((line) => FRAME.exec(line.trimEnd())?.[1] ?? []);
}

/** Returns the entry of the module that an uncaught error comes from, if its stack reveals it. */
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
/** Matches a path, not a package name. */
const LOCAL = /^(?:\.{1,2}\/|\/|\.{1,2}$)/;
/** More than any user's module has; also bounds a bundle with circular imports. */
const MAX_FILES = 5_000;

/** Returns the file and everything it imports by path, directly or indirectly, according to its current text. Runs nothing. */
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
    return []; // missing or not code: importing it will report that
  }
}

function resolveFrom(file: string, path: string): string[] {
  try {
    return [Bun.resolveSync(path, dirname(file))];
  } catch {
    return [];
  }
}
