// Runs the benchmarks: all, or those whose file name contains one of the given words.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findBun } from "./bun.mjs";
import { ensureBuilt } from "./ensure.mjs";
import { root } from "./paths.mjs";

await ensureBuilt();
const wanted = process.argv.slice(2);
const files = readdirSync(join(root, "bench")).filter(
  (name) => name.endsWith(".bench.ts") && (wanted.length === 0 || wanted.some((word) => name.includes(word))),
);
for (const file of files) {
  console.log(`\n== ${file}`);
  spawnSync(findBun(), [join(root, "bench", file)], { cwd: root, stdio: "inherit" });
}
