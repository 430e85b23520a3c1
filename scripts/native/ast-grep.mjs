// Puts the AST engine and its parsers beside the program. No install script is needed for any of them.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../paths.mjs";

// The engine has these built in.
const BUILT_IN = ["css", "html", "javascript", "tsx", "typescript"];
const SYSTEMS = { darwin: "macOS", linux: "Linux", win32: "Windows" };
const ABIS = { linux: ["-gnu", "-musl"], win32: ["-msvc"] };

const scope = join(root, "node_modules/@ast-grep");
// As the engine itself would find the package for its platform.
const require = createRequire(join(scope, "napi/package.json"));

/** @param {string} directory dist/native */
export function copyTo(directory) {
  const folder = join(directory, "ast-grep");
  const engine = findEngine();
  if (!engine)
    return console.error("The AST engine has no package for this platform: ast_grep and ast_edit will say so");
  mkdirSync(folder, { recursive: true });
  const parsers = Object.fromEntries(
    readdirSync(scope)
      .filter((name) => name.startsWith("lang-"))
      .map((name) => [name.slice("lang-".length), describePack(join(scope, name))])
      .filter(([name, parser]) => parser !== undefined && !BUILT_IN.includes(name)),
  );
  const wanted = new Set(["engine.node", "parsers.json"]);
  replace(engine, join(folder, "engine.node"));
  for (const [name, parser] of Object.entries(parsers)) {
    wanted.add(`${name}.so`);
    replace(parser.libraryPath, join(folder, `${name}.so`));
    parser.libraryPath = `${name}.so`;
  }
  writeFileSync(join(folder, "parsers.json"), `${JSON.stringify(parsers, undefined, 2)}\n`);
  for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name), { force: true });
}

function findEngine() {
  const abis = ABIS[process.platform] ?? [""];
  const names = abis.map((abi) => `@ast-grep/napi-${process.platform}-${process.arch}${abi}`);
  for (const name of names) {
    try {
      const path = require.resolve(name);
      process.dlopen({ exports: {} }, path); // the package for another C library does not load
      return path;
    } catch {
      // the next one, then
    }
  }
  return undefined;
}

function describePack(directory) {
  const { extensions, languageSymbol, expandoChar, metaVarChar } = require(directory);
  const libraryPath = [ownLibrary(directory), prebuiltLibrary(directory)].find((path) => path && existsSync(path));
  return libraryPath && { libraryPath, extensions, languageSymbol, expandoChar, metaVarChar };
}

function ownLibrary(directory) {
  try {
    return require(directory).libraryPath;
  } catch {
    return undefined; // thrown by packs that rely on their install script
  }
}

function prebuiltLibrary(directory) {
  const platform = `prebuild-${SYSTEMS[process.platform]}-${process.arch.toUpperCase()}`;
  return join(directory, "prebuilds", platform, "parser.so");
}

/** A program that is running keeps its file. */
function replace(from, to) {
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}
