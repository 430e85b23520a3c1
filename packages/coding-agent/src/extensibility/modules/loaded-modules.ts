import { withLocalImports } from "./local-imports.ts";

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

const FRAME = /(?:^|\(|\s|file:\/\/)(\/[^()\n]*?|[A-Za-z]:[\\/][^()\n]*?)(?:\?\d+)?:\d+(?::\d+)?\)?$/;

/** The files in the text of a stack, the innermost first. */
export function filesInStack(stack: string): string[] {
  return stack.split("\n").flatMap((line) => FRAME.exec(line.trimEnd())?.[1] ?? []);
}

/** The entry of the module an error comes from, when its stack says so: for errors that nobody caught. */
export function entryBehind(error: unknown): string | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  if (typeof stack !== "string") return undefined;
  for (const file of filesInStack(stack)) {
    const entry = entryOf(file);
    if (entry !== undefined) return entry;
  }
  return undefined;
}
