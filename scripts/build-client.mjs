// Makes packages/client/dist: what is published as @pintle/client. One file per entry and one that they share, because Node takes
// about a millisecond per module to import; the declarations stay as they are in the source.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findBun } from "./bun.mjs";
import { root } from "./paths.mjs";

const PACKAGE = "packages/client";
const BUNDLE = [
  "--target=node",
  "--format=esm",
  "--splitting",
  "--root",
  `${PACKAGE}/src`,
  "--outdir",
  `${PACKAGE}/dist`,
];

const output = join(root, PACKAGE, "dist");

export function buildClient() {
  rmSync(output, { recursive: true, force: true });
  run(findBun(), ["build", `${PACKAGE}/src/index.ts`, `${PACKAGE}/src/core/index.ts`, ...BUNDLE]);
  for (const name of outputs()) keepNames(join(output, name));
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", `${PACKAGE}/tsconfig.json`]);
}

const outputs = () => readdirSync(output, { recursive: true }).filter((name) => name.endsWith(".js"));

/** Bun renames classes that an entry passes on; their names are seen wherever an error is printed. */
function keepNames(path) {
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(/\b(Rpc[A-Za-z]+)2\b/g, "$1"));
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`building the client failed\n${stdout}${stderr}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  buildClient();
  console.log(`built ${PACKAGE}/dist`);
}
