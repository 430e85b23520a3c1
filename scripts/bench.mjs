// Runs benchmarks: `npm run bench [name [words…]]`. Without a name all; else the one of that name, or those whose name contains it.
// Further words go to the benchmark.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findBun } from "./bun.mjs";
import { ensureBuilt } from "./ensure.mjs";
import { root } from "./paths.mjs";

const ENDING = ".bench.ts";

const [wanted = "", ...words] = process.argv.slice(2);
const names = readdirSync(join(root, "bench"))
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length))
  .sort();
const chosen = names.includes(wanted) ? [wanted] : names.filter((name) => name.includes(wanted));
if (chosen.length === 0) {
  console.error(`No benchmark is called ${wanted}. There are: ${names.join(", ")}`);
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
