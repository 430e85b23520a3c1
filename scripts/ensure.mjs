// Makes sure that what a command needs is installed and built. A few milliseconds when nothing has changed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dist, root } from "./paths.mjs";

const BUILD_INPUTS = [
  "package-lock.json",
  "scripts/build.mjs",
  "scripts/build-client.mjs",
  "scripts/native",
  "packages/client/src",
  "packages/client/package.json",
  "packages/client/tsconfig.json",
  "packages/ai/src",
  "packages/agent/src",
  "packages/coding-agent/src",
  "packages/coding-agent/bin",
  "packages/coding-agent/package.json",
];

export function ensureInstalled() {
  const stamp = join(root, "node_modules", ".pintle-installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (readStamp(stamp) === wanted) return;
  console.error("Installing dependencies (npm install) …");
  // Install scripts are not needed and stay off: what works here works where they are forbidden. Not `npm ci`: it refuses a
  // lockfile that lacks packages of other platforms, and npm leaves those out where a registry does not have them.
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, error } = spawnSync(npm, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`npm install failed${error ? `: ${error.message}` : ""}`);
  writeFileSync(stamp, wanted);
}

export async function ensureBuilt() {
  ensureInstalled();
  const stamp = join(dist, ".stamp");
  const wanted = fingerprint();
  if (readStamp(stamp) === wanted) return;
  console.error("Building dist/pintle …");
  const { build } = await import("./build.mjs");
  build();
  writeFileSync(stamp, wanted);
}

/** Names, sizes and times of the inputs: cheap, and a rebuild too many does no harm. */
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
