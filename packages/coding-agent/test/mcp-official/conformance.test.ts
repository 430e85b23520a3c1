import { afterAll, expect, test } from "bun:test";
import { conform, listRuns, type SuiteRun } from "../support/mcp-official/conformance-suite.ts";
import { EXPECTED_FAILURES } from "../support/mcp-official/expected-failures.ts";
import { hasOfficial, withOfficial } from "../support/mcp-official/installed.ts";

/** A run is two short-lived processes and waits for little: more than this are in each other's way on a small machine. */
const AT_ONCE = 3;

const runs = hasOfficial ? (await Promise.all([listRuns("0.1"), listRuns("0.2")])).flat() : [];
const nameOf = ({ suite, scenario, version }: SuiteRun) => `${suite} ${scenario} ${version}`;

const results = new Map<SuiteRun, ReturnType<typeof conform>>();

/** The run and those of the next tests. */
function begin(index: number): ReturnType<typeof conform> | undefined {
  for (const run of runs.slice(index, index + AT_ONCE)) {
    const result = results.get(run) ?? conform(run);
    result.catch(() => {}); // its own test gets it
    results.set(run, result);
  }
  return results.get(runs[index]!);
}
afterAll(() => Promise.allSettled(results.values()));

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
