// Runs read-only programs with generated options and checks that they write and start nothing: `bun bench/soak/options.ts [lines
// [first-seed]]` from the repository's root. The same runs for a few seconds in the test command.
import { OptionFuzz } from "../../packages/coding-agent/test/support/permissions/option-fuzz.ts";

const [lines = 100_000, firstSeed = 1_000] = process.argv.slice(2).map(Number);
const BATCH = 1_000;

const total = { lines: 0, ran: 0, faults: 0 };
const programs = new Set<string>();
using fuzz = new OptionFuzz();
for (let seed = firstSeed; total.lines < lines; seed += 1) {
  const report = fuzz.run(seed, BATCH);
  total.lines += report.lines;
  total.ran += report.ran;
  total.faults += report.faults.length;
  for (const name of report.programs.keys()) programs.add(name);
  for (const fault of report.faults) console.log(`seed ${seed}: ${fault}`);
  Bun.gc(true); // the trees of the grammar are outside of the heap that drives the collector
  await Bun.sleep(0);
  console.log(
    `${total.lines} lines, ${total.ran} read-only and run, ${programs.size} programs, ${total.faults} faults`,
  );
}
process.exitCode = total.faults === 0 ? 0 : 1;
