import { dlopen } from "bun:ffi";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A parser library and the facts that the engine needs to load it. */
export interface Parser {
  libraryPath: string;
  extensions: string[];
  languageSymbol: string;
  /** Replaces `$` in patterns of languages where `$` is not part of a name. */
  expandoChar?: string;
  metaVarChar?: string;
}

export type Parsers = Readonly<Record<string, Parser>>;

/** Every existing `@ast-grep/lang-*`, except the languages that the engine has built in. */
const PACKS = (
  "angular bash c cpp csharp dart elixir go haskell java json kotlin lua markdown php python ruby rust scala sql swift " +
  "toml yaml"
).split(" ");

export function packageOf(language: string): string | undefined {
  return PACKS.includes(language) ? `@ast-grep/lang-${language}` : undefined;
}

const SYSTEMS: Record<string, string> = { darwin: "macOS", linux: "Linux", win32: "Windows" };

/** The parsers that the build put next to the program. */
export function shippedParsers(directory: string): Parsers {
  const file = join(directory, "parsers.json");
  const list: Parsers = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const placed = Object.entries(list).map(([name, parser]): [string, Parser] => {
    return [name, { ...parser, libraryPath: join(directory, parser.libraryPath) }];
  });
  return Object.fromEntries(placed);
}

/** Opens the library first, because the engine ends the process if it cannot. */
export function usableParsers(parsers: Parsers): Parsers {
  return Object.fromEntries(Object.entries(parsers).filter(([, parser]) => canBeOpened(parser)));
}

function canBeOpened({ libraryPath, languageSymbol }: Parser): boolean {
  try {
    dlopen(libraryPath, { [languageSymbol]: { args: [], returns: "ptr" } }).close();
    return true;
  } catch {
    return false;
  }
}

/** The parsers in our own node_modules. */
export function installedParsers(): Parsers {
  const { resolve } = createRequire(import.meta.url);
  const found: Record<string, Parser> = {};
  for (const name of PACKS) {
    try {
      const parser = describePack(dirname(resolve(`${packageOf(name)}/package.json`)));
      if (parser) found[name] = parser;
    } catch {
      // not installed
    }
  }
  return found;
}

/** Reads the package instead of loading it: some print when loaded, and stdout carries only frames. */
function describePack(directory: string): Parser | undefined {
  const platform = `prebuild-${SYSTEMS[process.platform]}-${process.arch.toUpperCase()}`;
  const libraryPath = join(directory, "prebuilds", platform, "parser.so");
  const text = readFileSync(join(directory, "index.js"), "utf8");
  const languageSymbol = readField(text, "languageSymbol");
  if (!existsSync(libraryPath) || languageSymbol === undefined) return undefined;
  const list = /\bextensions: *\[([^\]]*)\]/.exec(text)?.[1] ?? "";
  const extensions = [...list.matchAll(/['"]([^'"]+)['"]/g)].map((match) => match[1]!);
  const expandoChar = readField(text, "expandoChar");
  const metaVarChar = readField(text, "metaVarChar");
  return {
    libraryPath,
    extensions,
    languageSymbol,
    ...(expandoChar && { expandoChar }),
    ...(metaVarChar && { metaVarChar }),
  };
}

function readField(text: string, name: string): string | undefined {
  return new RegExp(`\\b${name}: *['"]([^'"]*)['"]`).exec(text)?.[1];
}
