// A host that sends arbitrary lines, in both dialects, until that many were sent: `bun bench/soak/fuzz.ts [lines
// [first-seed]]` from the repository's root, after a build. The test command runs the same fuzzer with a few seeds.
import { fuzz } from "../../packages/coding-agent/test/support/fuzz/fuzz-run.ts";

const [lines = 400_000, firstSeed = 1_000] = process.argv.slice(2).map(Number);
const ROUNDS = 60;

const total = { processes: 0, linesIn: 0, framesOut: 0, runs: 0, faults: 0 };
const began = performance.now();
for (let seed = firstSeed; total.linesIn < lines; seed += 1) {
  const dialect = seed % 2 === 0 ? "seed" : "pi";
  const report = await fuzz({ seed, dialect, rounds: ROUNDS });
  total.processes += 1;
  total.linesIn += report.linesIn;
  total.framesOut += report.framesOut;
  total.runs += report.runs;
  total.faults += report.faults.length;
  for (const fault of report.faults) console.log(`seed ${seed}, dialect ${dialect}: ${fault}`);
  console.log(`${total.linesIn} lines in, ${total.framesOut} frames out, ${total.runs} runs, ${total.faults} faults`);
}
console.log(`${total.processes} processes, ${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exitCode = total.faults === 0 ? 0 : 1;
