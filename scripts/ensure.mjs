// Ensures that what a command needs is installed and built. Takes a few milliseconds if nothing has changed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runShown } from "./child.mjs";
import { dist, root } from "./paths.mjs";

const BUILD_INPUTS = [
  "package-lock.json",
  "scripts/build.mjs",
  "scripts/compile.mjs",
  "scripts/compile-flags.mjs",
  "scripts/targets.mjs",
  "scripts/build-client.mjs",
  "scripts/typescript.mjs",
  "scripts/native",
  "scripts/build-conformance.mjs",
  "packages/conformance/src",
  "packages/conformance/package.json",
  "packages/client/src",
  "packages/client/package.json",
  "packages/client/tsconfig.json",
  "packages/ai/src",
  "packages/agent/src",
  "packages/wire/src",
  "packages/wire/package.json",
  "packages/foundation/src",
  "packages/foundation/package.json",
  "packages/storage/src",
  "packages/storage/package.json",
  "packages/exec/src",
  "packages/exec/package.json",
  "packages/gateway/src",
  "packages/gateway/package.json",
  "packages/cluster/src",
  "packages/cluster/package.json",
  "packages/acp/src",
  "packages/acp/package.json",
  "packages/terminal/src",
  "packages/terminal/package.json",
  "packages/simulator/src",
  "packages/simulator/package.json",
  "packages/highlight/src",
  "packages/highlight/package.json",
  "packages/page/src",
  "packages/page/bundle.ts",
  "packages/page/package.json",
  "packages/coding-agent/src",
  "packages/coding-agent/bin",
  "packages/coding-agent/package.json",
];

export async function ensureInstalled() {
  const stamp = join(root, "node_modules", ".pintle-installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (readStamp(stamp) === wanted) return;
  // Install scripts are not needed and stay off: what works here works where they are forbidden. Not `npm ci`, which
  // removes node_modules first, including the caches in it.
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await runShown("Installing dependencies (npm install)", npm, args);
  rmSync(stamp, { force: true }); // in a tree that was copied with hard links, the old file also belongs to the other tree
  writeFileSync(stamp, wanted);
}

export async function ensureBuilt(run = runShown) {
  await ensureInstalled();
  const stamp = join(dist, ".stamp");
  const wanted = fingerprint();
  if (readStamp(stamp) === wanted) return;
  await run("Building dist/pintle", process.execPath, [join(root, "scripts", "build.mjs")]);
  writeFileSync(stamp, wanted);
}

/** Names, sizes and times of the inputs: cheap, and an unnecessary rebuild does no harm. */
function fingerprint() {
  const hash = createHash("sha256");
  const visit = (path) => {
    const info = statSync(join(root, path));
    if (!info.isDirectory()) return hash.update(`${path}\0${info.size}\0${info.mtimeMs}\n`);
    for (const name of readdirSync(join(root, path)).sort()) visit(join(path, name));
  };
  BUILD_INPUTS.forEach(visit);
  return hash.digest("hex");
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
