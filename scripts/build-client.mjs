// Builds packages/client/dist, which is published as @pintle/client. One file per entry and one shared file, because
// Node takes about a millisecond to import a module; declarations stay one per source. cjs/ has the same for `require`.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBun } from "./bun.mjs";
import { withReferences } from "./declaration-references.mjs";
import { isMain, root } from "./paths.mjs";
import { typescript } from "./typescript.mjs";

const SOURCE = "packages/client/src";
const OUTPUT = "packages/client/dist";
/** The old build stays complete for its users meanwhile. */
const FRESH = "packages/client/dist/.new";

const BUNDLE = ["--target=node", "--format=esm", "--splitting", "--root", SOURCE, "--outdir", FRESH];

const COMMONJS = ["--format=cjs", "--target=node", "--external", "*"];
/** CommonJS does not know a module's URL; Bun would write that of the build machine into the output. */
const MODULE_URL = [
  "--define",
  "import.meta.url=__moduleUrl",
  "--banner",
  'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;',
];

export function buildClient() {
  const [output, fresh, aside] = [OUTPUT, FRESH, `${OUTPUT}.tmp`].map((path) => join(root, path));
  for (const path of [fresh, aside]) rmSync(path, { recursive: true, force: true });
  run(findBun(), ["build", `${SOURCE}/index.ts`, `${SOURCE}/core/index.ts`, ...BUNDLE]);
  rewrite(fresh, ".js", keepNames);
  const [tsc, ...args] = typescript(["-p", "packages/client/tsconfig.json", "--outDir", FRESH]);
  run(tsc, args);
  rewrite(fresh, ".d.ts", withReferences);
  addCommonJs(fresh);
  renameSync(fresh, aside);
  rmSync(output, { recursive: true });
  renameSync(aside, output);
}

/** Bun renames re-exports, and names appear wherever an error is printed. */
function keepNames(text) {
  return text.replaceAll(/\b((?:Rpc|Gateway|Conversation|Message|webSocket)[A-Za-z]*)2\b/g, "$1");
}

function rewrite(directory, ending, change) {
  const names = readdirSync(directory, { recursive: true }).filter((name) => name.endsWith(ending));
  for (const path of names.map((name) => join(directory, name)))
    writeFileSync(path, change(readFileSync(path, "utf8")));
}

/** Each file of the bundle separately, so that both entries share the third one there as well. */
function addCommonJs(directory) {
  const names = readdirSync(directory, { recursive: true });
  const target = join(directory, "cjs");
  for (const name of names.filter((file) => file.endsWith(".d.ts"))) cpSync(join(directory, name), join(target, name));
  for (const name of names.filter((file) => file.endsWith(".js"))) {
    const path = join(directory, name);
    const url = readFileSync(path, "utf8").includes("import.meta.url") ? MODULE_URL : [];
    run(findBun(), ["build", path, ...COMMONJS, ...url, "--outfile", join(target, name)]);
  }
  writeFileSync(join(target, "package.json"), '{ "type": "commonjs" }\n');
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`building the client failed\n${stdout}${stderr}`);
}

if (isMain(import.meta.url)) {
  buildClient();
  console.log(`built ${OUTPUT}`);
}
