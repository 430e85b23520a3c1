// Bundles the program with Bun; with COMPILE_FLAGS the result is the program itself.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { findBun } from "./bun.mjs";
import { COMPILE_FLAGS } from "./compile-flags.mjs";
import { root } from "./paths.mjs";
import { bunTarget } from "./targets.mjs";

const ENTRY = "packages/coding-agent/src/cli.ts";
const VIEWS = "packages/page/src/live/views";
/** The scripts of the exported page, the live page and its views, which the program contains as strings. */
const PAGE_ENTRIES = [
  "packages/page/src/main.ts",
  "packages/page/src/live/main.ts",
  ...readdirSync(join(root, VIEWS))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${VIEWS}/${name}`),
];

/**
 * @param {string} outfile
 * @param {{ target?: import("./targets.mjs").Target, bun?: string, commit?: string }} options for another system: which, and
 *   its Bun; the commit is what `--version --json` prints
 */
export function compileProgram(outfile, { target, bun, commit } = {}) {
  const cross = target ? ["--target", bunTarget(target), "--compile-executable-path", bun] : [];
  const define = commit === undefined ? [] : ["--define", `PINTLE_COMMIT=${JSON.stringify(commit)}`];
  bunBuild(outfile, [...COMPILE_FLAGS, ...cross, ...define]);
}

/** Bundles the program as a script for Bun. `metafile` receives the list of bundled files. */
export function bundleProgram(outfile, { metafile } = {}) {
  bunBuild(outfile, ["--target=bun", ...(metafile ? [`--metafile=${metafile}`] : [])]);
}

/** Bundles each page as the program contains it, and calls `use` with the metafile that lists its files. */
export function bundlePages(outfile, metafile, use) {
  for (const entry of PAGE_ENTRIES) {
    bunBuild(outfile, ["--target=browser", "--format=iife", `--metafile=${metafile}`], entry);
    use(metafile);
  }
}

function bunBuild(outfile, args, entry = ENTRY) {
  // Run inside the repository with relative paths, so that no path of the building machine is in the product.
  const { status, stdout, stderr } = spawnSync(
    findBun(),
    ["build", entry, "--minify-syntax", "--minify-whitespace", ...args, "--outfile", `./${relative(root, outfile)}`],
    { cwd: root, encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
  );
  if (status !== 0) {
    rmSync(outfile, { force: true });
    throw new Error(`bun build failed\n${stdout}${stderr}`);
  }
}
