// Copies the AST engine and its parsers next to the program. None of them needs an install script.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../paths.mjs";
import { astEnginePackage, prebuiltParser, thisMachine } from "../targets.mjs";
import { installedPackage } from "./packages.mjs";

// The engine has these built in.
const BUILT_IN = ["css", "html", "javascript", "tsx", "typescript"];

const PARSER = "@ast-grep/lang-";
const require = createRequire(import.meta.url);

/** The packages of the languages that pintle depends on; others may be installed as well. */
export function parserPackages() {
  const { dependencies } = JSON.parse(readFileSync(join(root, "packages/exec/package.json"), "utf8"));
  return Object.keys(dependencies).filter((name) => name.startsWith(PARSER));
}

/** @param {string} directory dist/native */
export function copyTo(directory, target = thisMachine(), findPackage = installedPackage) {
  const folder = join(directory, "ast-grep");
  const engine = findPackage(astEnginePackage(target));
  if (!engine)
    return console.error("The AST engine has no package for this platform: ast_grep and ast_edit will say so");
  mkdirSync(folder, { recursive: true });
  const parsers = Object.fromEntries(
    parserPackages()
      .map((name) => [name.slice(PARSER.length), describePack(join(root, "node_modules", name), target)])
      .filter(([name, parser]) => parser !== undefined && !BUILT_IN.includes(name)),
  );
  const wanted = new Set(["engine.node", "parsers.json"]);
  replace(
    join(engine, JSON.parse(readFileSync(join(engine, "package.json"), "utf8")).main),
    join(folder, "engine.node"),
  );
  for (const [name, parser] of Object.entries(parsers)) {
    wanted.add(`${name}.so`);
    replace(parser.libraryPath, join(folder, `${name}.so`));
    parser.libraryPath = `${name}.so`;
  }
  writeFileSync(join(folder, "parsers.json"), `${JSON.stringify(parsers, undefined, 2)}\n`);
  for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name), { force: true });
}

function describePack(directory, target) {
  const { extensions, languageSymbol, expandoChar, metaVarChar } = require(directory);
  const libraryPath = join(directory, prebuiltParser(target));
  return existsSync(libraryPath) ? { libraryPath, extensions, languageSymbol, expandoChar, metaVarChar } : undefined;
}

/** A running program keeps its file. */
function replace(from, to) {
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}
