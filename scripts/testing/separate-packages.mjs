// Packages that only some tests need. They are larger than the product's own dependencies, so they are installed
// separately from their own lockfile, and only those tests see them.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runShown } from "../child.mjs";
import { root } from "../paths.mjs";

/**
 * Installs the packages of a lockfile unless they are present. Without a registry the tests that need them are skipped,
 * and with CI=true they fail.
 *
 * @param {{ source: string, name: string, title: string, args?: string[] }} packages `source` contains the lockfile,
 * `name` is the directory below node_modules/.cache.
 */
export async function ensurePackages({ source, name, title, args = [] }, { run = runShown, log = console.log } = {}) {
  const target = join(root, "node_modules/.cache", name);
  const stamp = join(target, "installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, source, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  mkdirSync(target, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(root, source, file), join(target, file));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await run(`Installing ${title} (npm ci)`, npm, ["ci", ...quiet, ...args, "--prefix", target]);
    writeFileSync(stamp, wanted);
  } catch (error) {
    log(`WARNING: ${error.message}\nthe tests that need them cannot run`);
  }
}
