// Repeats every attempt to escape from the sandbox, several at once: `bun bench/soak/escapes.ts [rounds [at-once]]`
// from the repository's root. At strength `full` none may succeed. Linux with bubblewrap and python3 only; some
// attempts need root.
import type { Attempt } from "../../packages/exec/test/support/sandbox/escapes/attempt.ts";
import { runTable } from "../../packages/exec/test/support/sandbox/run-table.ts";

const [rounds = 10, atOnce = 2] = process.argv.slice(2).map(Number);

const isRoot = process.getuid?.() === 0;
const isMeant = ({ needsRoot }: Attempt) => isRoot || !needsRoot;
const total = { attempts: 0, escapes: 0 };
const began = performance.now();
for (let round = 0; round < rounds; round += atOnce) {
  const tables = await Promise.all(Array.from({ length: atOnce }, () => runTable("full", isMeant)));
  for (const { attempt, result } of tables.flat()) {
    total.attempts += 1;
    if (result.level !== "full") throw new Error(`this machine gives ${result.level}`);
    if (result.escapes.length === 0) continue;
    total.escapes += 1;
    console.log(`${attempt.name}: ${result.escapes.join("; ")}\n${result.output}`);
  }
  console.log(`${total.attempts} attempts, ${total.escapes} escapes`);
}
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exitCode = total.escapes === 0 ? 0 : 1;
