// Makes the product: dist/pintle (one compiled program) and dist/cli.js for hosts that start a script.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "./build-client.mjs";
import { findBun } from "./bun.mjs";
import { COMPILE_FLAGS } from "./compile-flags.mjs";
import { ensureInstalled } from "./ensure.mjs";
import * as astGrep from "./native/ast-grep.mjs";
import * as ripgrep from "./native/ripgrep.mjs";
import { dist, program, root } from "./paths.mjs";

const ENTRY = "packages/coding-agent/src/cli.ts";

function build() {
  mkdirSync(join(dist, "native"), { recursive: true });
  const fresh = `${program}.new`;
  bunBuild([...COMPILE_FLAGS, "--outfile", fresh]);
  renameSync(fresh, program); // a program that is running keeps its file
  // For `bun cli.js` on a platform without a compiled program.
  bunBuild(["--target=bun", "--outfile", join(dist, "pintle.bundle.js")]);
  astGrep.copyTo(join(dist, "native"));
  ripgrep.copyTo(join(dist, "native"));
  copyFileSync(join(root, "packages/coding-agent/bin/cli.js"), join(dist, "cli.js"));
  writeFileSync(join(dist, "package.json"), '{ "type": "module" }\n');
  buildClient();
}

function bunBuild(args) {
  // Run inside the repository with relative paths, so that no path of the building machine is in the product.
  const { status, stdout, stderr } = spawnSync(
    findBun(),
    ["build", ENTRY, "--minify-syntax", "--minify-whitespace", ...args.map(relative)],
    { cwd: root, encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
  );
  if (status !== 0) {
    rmSync(`${program}.new`, { force: true });
    throw new Error(`bun build failed\n${stdout}${stderr}`);
  }
}

function relative(arg) {
  return arg.startsWith(root) ? `./${arg.slice(root.length + 1)}` : arg;
}

await ensureInstalled();
build();
console.log("built dist/pintle");
