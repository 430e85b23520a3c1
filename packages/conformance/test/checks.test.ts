import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { CHECKS } from "../src/checks/all-checks.ts";
import { loadProfile } from "../src/profiles.ts";
import { runChecks } from "../src/run-checks.ts";
import { FAULTS } from "./support/faults.mjs";

// Every check passes on the program, and detects its fault: the same program behind a process that breaks one rule.

const program = resolve(import.meta.dir, "../../../dist/pintle");
const faulty = resolve(import.meta.dir, "support/faulty-agent.mjs");
const PATIENCE_MS = 60_000;
/** A missing frame costs this wait, which has to be long enough for everything else on a busy machine. */
const FAULT_PATIENCE_MS = 3000;

async function outcomes(names: readonly string[], command: readonly string[], patienceMs: number, env = {}) {
  const base = loadProfile("pintle");
  const profile = { ...base, env: (home: string) => ({ ...base.env(home), ...env }) };
  const checks = CHECKS.filter(({ name }) => names.includes(name));
  const reports = await runChecks(checks, { command, profile, patienceMs }, { jobs: 2, onReport: () => {} });
  return reports.map(({ name, outcome, message }) => ({ name, outcome, ...(outcome !== "passed" && { message }) }));
}

describe("the program", () => {
  const names = CHECKS.map(({ name }) => name);

  test("keeps every rule", async () => {
    const seen = await outcomes(names, [program], PATIENCE_MS);
    expect(seen).toEqual(names.map((name) => ({ name, outcome: "passed" })));
  });

  test("check names are unique", () => {
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("a fault is detected by", () => {
  for (const [name, { seenBy }] of Object.entries(FAULTS)) {
    test(`${seenBy.join(", ")}: ${name}`, async () => {
      const seen = await outcomes(seenBy, ["node", faulty], FAULT_PATIENCE_MS, { FAULT: name, PROGRAM: program });
      expect(seen.map(({ name, outcome }) => [name, outcome]).sort()).toEqual(
        seenBy.map((check) => [check, "failed"]).sort(),
      );
    });
  }

  test("every check has a fault", () => {
    const covered = new Set(Object.values(FAULTS).flatMap(({ seenBy }) => seenBy));
    expect(CHECKS.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
  });
});
