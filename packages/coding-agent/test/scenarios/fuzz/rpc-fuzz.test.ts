import { expect, test } from "bun:test";
import type { Dialect } from "../../../src/modes/rpc/dialects/dialect.ts";
import { type FuzzReport, fuzz } from "../../support/fuzz/fuzz-run.ts";
import { where } from "../../support/where.ts";

// Simulates a host that sends, reads and answers at random, with the real program. PINTLE_FUZZ_SECONDS=600 continues
// with more seeds, starting at PINTLE_FUZZ_SEED, and prints what it did.

const SECONDS = Number(process.env.PINTLE_FUZZ_SECONDS ?? 0);
const FIRST_SEED = Number(process.env.PINTLE_FUZZ_SEED ?? 1_000);
const LONG_ROUNDS = 60;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of each third of the rounds, in MiB. */
function thirds({ rss }: FuzzReport): number[] {
  const size = Math.ceil(rss.length / 3);
  return [0, 1, 2].map((third) => Math.round(mean(rss.slice(third * size, (third + 1) * size))));
}

function check(seed: number, report: FuzzReport): void {
  const { faults, stderr } = report;
  expect({ seed, faults, stderr: faults.length > 0 ? stderr.slice(0, 2_000) : "" }).toEqual({
    seed,
    faults: [],
    stderr: "",
  });
  expect(report.framesOut).toBeGreaterThan(report.rss.length * 10);
  const [first = 0, , last = 0] = thirds(report);
  if (report.rss.length >= 9) expect(last).toBeLessThan(first * 2 + 100);
}

const FIXED: [seed: number, dialect: Dialect][] = [
  [1, "seed"],
  [2, "pi"],
  [4, "seed"],
  [5, "seed"],
  [7, "seed"],
  [8, "pi"],
];

test.each(FIXED)(
  "seed %i in dialect %s: one response each, only frames, a balanced stream, a clean end",
  async (seed, dialect) => {
    check(seed, await fuzz({ seed, dialect, rounds: 5 }));
  },
  120_000,
);

where(SECONDS > 0, "needs PINTLE_FUZZ_SECONDS").test(
  "runs longer when started by hand",
  async () => {
    const until = performance.now() + SECONDS * 1_000;
    const total = { processes: 0, rounds: 0, linesIn: 0, framesOut: 0, mbIn: 0, mbOut: 0, runs: 0 };
    for (let seed = FIRST_SEED; performance.now() < until; seed += 1) {
      const report = await fuzz({ seed, dialect: seed % 4 === 3 ? "pi" : "seed", rounds: LONG_ROUNDS, until });
      total.processes += 1;
      total.rounds += report.rss.length;
      total.linesIn += report.linesIn;
      total.framesOut += report.framesOut;
      total.mbIn += report.bytesIn / 1e6;
      total.mbOut += report.bytesOut / 1e6;
      total.runs += report.runs;
      console.error(`seed ${seed}: rss by thirds ${thirds(report)} MiB`, JSON.stringify(total));
      check(seed, report);
    }
  },
  (SECONDS + 120) * 1_000,
);
