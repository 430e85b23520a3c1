// Compares what was read of generated commands with what bash and dash run: `bun bench/soak/commands.ts [count [first-seed]]` from
// the repository's root. The same comparison runs for a few seconds in the test command. Linux only.
import { ShellComparison } from "../../packages/coding-agent/test/support/permissions/shell-comparison.ts";

const [count = 500_000, firstSeed = 1_000] = process.argv.slice(2).map(Number);
const BATCH = 4_000;

const total = { texts: 0, understood: 0, calls: 0, faults: 0 };
const began = performance.now();
using comparison = new ShellComparison();
for (let seed = firstSeed; total.texts < count; seed += 1) {
  const report = comparison.run(seed, BATCH);
  total.texts += report.texts;
  total.understood += report.understood;
  total.calls += report.calls;
  total.faults += report.faults.length;
  for (const fault of report.faults) console.log(`seed ${seed}: ${fault}`);
  Bun.gc(true); // the trees of the grammar are outside of the heap that drives the collector
  await Bun.sleep(0);
  console.log(`${total.texts} commands, ${total.understood} understood, ${total.calls} calls, ${total.faults} faults`);
}
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exitCode = total.faults === 0 ? 0 : 1;
