import { afterAll, expect, test } from "bun:test";
import { SuiteProcess, type SuiteRun } from "../support/mcp-official/conformance-suite.ts";
import { EXPECTED_FAILURES } from "../support/mcp-official/expected-failures.ts";
import { hasOfficial, withOfficial } from "../support/mcp-official/installed.ts";

/** A run waits for little, so more than this would slow each other down on a small machine. */
const AT_ONCE = 3;

const processes = hasOfficial ? Array.from({ length: AT_ONCE }, () => new SuiteProcess()) : [];
const lists = await Promise.all([processes[0]?.list("0.1"), processes[1]?.list("0.2")]);
const runs = lists.flatMap((list) => list ?? []);
const nameOf = ({ suite, scenario, version }: SuiteRun) => `${suite} ${scenario} ${version}`;

const results = new Map<SuiteRun, ReturnType<SuiteProcess["conform"]>>();

/** This run and those of the next tests. */
function begin(index: number): ReturnType<SuiteProcess["conform"]> | undefined {
  for (const [ahead, run] of runs.slice(index, index + AT_ONCE).entries()) {
    const result = results.get(run) ?? processes[(index + ahead) % AT_ONCE]!.conform(run);
    result.catch(() => {}); // its own test gets it
    results.set(run, result);
  }
  return results.get(runs[index]!);
}
afterAll(async () => {
  await Promise.allSettled(results.values());
  for (const process of processes) await process[Symbol.asyncDispose]();
});

for (const [index, run] of runs.entries()) {
  const name = nameOf(run);
  const reason = EXPECTED_FAILURES[name];
  withOfficial.test(`${name}${reason === undefined ? "" : ` (fails: ${reason})`}`, async () => {
    const { isPassed, output } = (await begin(index)) ?? { isPassed: false, output: "" };
    if (isPassed !== (reason === undefined)) console.error(output);
    expect(isPassed).toBe(reason === undefined);
  });
}

withOfficial.test("of at least 90 runs only those fail whose reason is known", async () => {
  expect(runs.length).toBeGreaterThanOrEqual(90);
  expect(Object.keys(EXPECTED_FAILURES).filter((name) => !runs.some((run) => nameOf(run) === name))).toEqual([]);
});

test("fewer than one in ten runs is expected to fail", () => {
  expect(Object.keys(EXPECTED_FAILURES).length).toBeLessThan(10);
});
