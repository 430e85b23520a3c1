// Runs benchmarks: `npm run bench [name [arguments…]]`. Without a name all of them; otherwise the one with that name,
// or those whose name contains it. Further arguments go to the benchmark. `npm run bench -- --check [row…]` names the rows
// of the comparison that got worse since the recorded figures, and fails if there are any.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findBun } from "./bun.mjs";
import { ensureBuilt } from "./ensure.mjs";
import { root } from "./paths.mjs";

const ENDING = ".bench.ts";

const args = process.argv.slice(2);
const [wanted = "", ...words] = args[0] === "--check" ? ["side-by-side", "check", ...args.slice(1)] : args;
const names = readdirSync(join(root, "bench"))
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length))
  .sort();
const chosen = names.includes(wanted) ? [wanted] : names.filter((name) => name.includes(wanted));
if (chosen.length === 0) {
  console.error(`Unknown benchmark ${wanted}. Available: ${names.join(", ")}`);
  process.exit(1);
}

await ensureBuilt();
for (const name of chosen) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(findBun(), [join(root, "bench", `${name}${ENDING}`), ...words], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
