import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Napi from "@ast-grep/napi";
import { errorText } from "@pintle/ai";
import { installedParsers, type Parsers, shippedParsers, usableParsers } from "./ast-parsers.ts";
import { nativeDirectory } from "./native-directory.ts";

export type { NapiConfig, SgNode, SgRoot } from "@ast-grep/napi";

export interface AstEngine {
  parse: typeof Napi.parse;
  /** Parses in another thread. */
  parseAsync: typeof Napi.parseAsync;
  /** Additional parsers, besides the built-in ones. */
  parsers: Parsers;
}

/** Where the build puts the engine and the parsers, below the native directory. */
const FOLDER = "ast-grep";

let loaded: AstEngine | undefined;

/** Loads the engine on first use. Throws an error for the model if this build has none. */
export function loadAstEngine(): AstEngine {
  loaded ??= loadFrom(nativeDirectory());
  return loaded;
}

function loadFrom(directory: string | undefined): AstEngine {
  const folder = directory === undefined ? undefined : join(directory, FOLDER);
  const { parse, parseAsync, registerDynamicLanguage } = loadLibrary(folder);
  const parsers = usableParsers(folder === undefined ? installedParsers() : shippedParsers(folder));
  registerDynamicLanguage(parsers); // can be called only once per process, so register all of them together
  return { parse, parseAsync, parsers };
}

/** Loads by path, because directories around the program could redefine a name. */
function loadLibrary(folder: string | undefined): typeof Napi {
  const candidates = folder === undefined ? installedLibraries() : [join(folder, "engine.node")];
  let failure = "";
  for (const path of candidates.filter((candidate) => existsSync(candidate))) {
    try {
      const module = { exports: {} };
      process.dlopen(module, path);
      return module.exports as typeof Napi;
    } catch (error) {
      failure = ` (${errorText(error)})`; // perhaps built for another C library
    }
  }
  const names = platformPackages().join(" or ");
  throw new Error(`Structural search is not part of this build of pintle: it lacks the package ${names}${failure}.`);
}

function installedLibraries(): string[] {
  const own = createRequire(import.meta.url);
  return platformPackages().flatMap((name) => {
    try {
      return [createRequire(own.resolve("@ast-grep/napi/package.json")).resolve(name)];
    } catch {
      return [];
    }
  });
}

const ABIS: Record<string, readonly string[]> = { linux: ["-gnu", "-musl"], win32: ["-msvc"] };

function platformPackages(): string[] {
  const abis = ABIS[process.platform] ?? [""];
  return abis.map((abi) => `@ast-grep/napi-${process.platform}-${process.arch}${abi}`);
}
