// Runs three gateways on one PostgreSQL while gateways, workers and the database are killed and paused, connections are
// cut and the disk fills up; hosts send prompts and jobs run meanwhile. An auditor then reads the tables and all
// transcripts. `bun bench/soak/cluster.ts --faults 300 --seed 7` from the repository's root, after a build. The seed
// reproduces the faults; what happens between them depends on the machine.
import { parseArgs } from "node:util";
import { runFaults } from "../../packages/cluster/test/support/faults/fault-run.ts";

const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "300" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    sessions: { type: "string", default: "8" },
  },
});
const [faults, seed, sessions] = [Number(values.faults), Number(values.seed), Number(values.sessions)];
const began = Date.now();
const stamp = () => `${((Date.now() - began) / 1_000).toFixed(1).padStart(7)} s`;
console.log(`seed ${seed}, ${faults} faults, ${sessions} sessions`);
const { violations, cluster, ...figures } = await runFaults({
  faults,
  seed,
  sessions,
  jobs: faults,
  report: (text) => console.log(stamp(), text),
});
await cluster[Symbol.asyncDispose]();
for (const text of violations) console.log("VIOLATION", text);
const { acknowledged, jobs, takeovers, evidence } = figures;
console.log(
  `${stamp()} seed ${seed}: ${faults} faults, ${acknowledged} acknowledged prompts, ${jobs} jobs, ${takeovers} takeovers, ` +
    `${evidence.entries.length} entries, ${evidence.transcripts.length} frames: ${violations.length} violations`,
);
process.exitCode = violations.length === 0 ? 0 : 1;
