// Builds packages/conformance/dist/cli.js, which is published as @pintle/conformance: one file for Node without
// dependencies.
import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { findBun } from "./bun.mjs";
import { root } from "./paths.mjs";

export function buildConformance() {
  const outfile = join(root, "packages/conformance/dist/cli.js");
  const args = ["build", "packages/conformance/src/cli.ts", "--target=node", "--format=esm", "--outfile", outfile];
  const { status, stdout, stderr } = spawnSync(findBun(), args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`building the conformance kit failed\n${stdout}${stderr}`);
  chmodSync(outfile, 0o755);
}
