// The official conformance suites and servers of MCP. They bring more packages than the product has, so they are installed
// beside it, from a lockfile of their own, and nothing but their tests sees them.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runShown } from "../child.mjs";
import { isMain, root } from "../paths.mjs";

const SOURCE = join(root, "packages/coding-agent/test/support/mcp-official");
const TARGET = join(root, "node_modules/.cache/pintle-mcp-official");

/** Without a registry the tests that need them are skipped, and with CI=true they fail. */
export async function ensureMcpSuites({ run = runShown, log = console.log } = {}) {
  const stamp = join(TARGET, "installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(SOURCE, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  mkdirSync(TARGET, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(SOURCE, name), join(TARGET, name));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", TARGET];
  try {
    await run("Installing the official MCP suites (npm ci)", npm, args);
    writeFileSync(stamp, wanted);
  } catch (error) {
    log(`WARNING: ${error.message}\nthe tests that need them cannot run`);
  }
}

// By hand, before a single test file.
if (isMain(import.meta.url)) await ensureMcpSuites();
