// Finds the Bun that npm installed. Its install script may not have run, so both locations are tried and PATH is
// ignored. From the command line, runs it: node scripts/bun.mjs test packages/agent/test/agent.test.ts
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isMain, root } from "./paths.mjs";

let found;

export function findBun() {
  found ??= candidates().find((path) => spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0);
  if (!found) throw new Error("No working Bun in node_modules (bun and @oven/bun-* are development dependencies)");
  return found;
}

function candidates() {
  const modules = join(root, "node_modules");
  const platforms = join(modules, "@oven");
  const fromPlatforms = existsSync(platforms)
    ? readdirSync(platforms).map((name) =>
        join(platforms, name, "bin", process.platform === "win32" ? "bun.exe" : "bun"),
      )
    : [];
  return [join(modules, "bun", "bin", "bun.exe"), ...fromPlatforms].filter((path) => existsSync(path));
}

if (isMain(import.meta.url)) {
  const { status } = spawnSync(findBun(), process.argv.slice(2), { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
