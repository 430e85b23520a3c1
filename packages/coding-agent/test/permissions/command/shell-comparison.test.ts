import { expect } from "bun:test";
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { readCommand } from "../../../src/permissions/command/read-command.ts";
import { RECORDED } from "../../support/permissions/command-texts.ts";
import { ShellComparison } from "../../support/permissions/shell-comparison.ts";
import { testWith } from "../../support/system-tool.ts";

// Uses real shells as the reference: the words that they pass to programs must be those that were parsed, for the original
// command and the printed one.

const BUDGET_MS = 4_000;
const BATCH = 400;

testWith("dash")("what bash and dash pass to programs is what was read, for generated texts", async () => {
  using comparison = new ShellComparison();
  const first = Number(process.env.PINTLE_PROPERTY_SEED ?? 1);
  const texts = Number(process.env.PINTLE_PROPERTY_RUNS ?? Number.POSITIVE_INFINITY);
  const until = performance.now() + BUDGET_MS;
  let [count, understood] = [0, 0];
  for (let seed = first; count === 0 || (count < texts && performance.now() < until); seed += 1) {
    const report = comparison.run(seed, BATCH);
    expect([`seed ${seed}`, report.faults]).toEqual([`seed ${seed}`, []]);
    count += report.texts;
    understood += report.understood;
  }
  expect(understood).toBeGreaterThan(count / 10);
});

testWith("dash")("the comparison finds words that a shell reads differently", async () => {
  using comparison = new ShellComparison();
  const misread = {
    programs: [{ argv: ["one", "a", "b"], hasPattern: false }],
    redirections: [],
    script: "'one' 'a' 'b'",
  };
  const report = comparison.compareReadings([
    { text: "one a\\\nb", reading: misread },
    { text: "one a b", reading: misread },
  ]);
  expect(report.faults).toHaveLength(1);
  expect(report.faults[0]).toContain("bash, original and printed");
});

/** Generated commands that the shells and our parser once interpreted differently. */
const ONCE_DIFFERENT = [
  "<'q r'three&>> two0a=b  \t1",
  ">a &>>b=c one",
  "one >&-two",
  "! \n one",
  "% one",
  "one 2>a=b",
  "one <&\\- a",
];

testWith("dash")("commands that were once read differently are read like the shells do, or not at all", async () => {
  using comparison = new ShellComparison();
  const cases = ONCE_DIFFERENT.flatMap((text) => {
    const reading = readCommand(text);
    return reading ? [{ text, reading }] : [];
  });
  expect(comparison.compareReadings(cases).faults).toEqual([]);
});

/** One process per call, started as the tool starts commands. */
function startedBy(shell: string, text: string, directory: string): string[][] {
  const record = join(directory, "record");
  writeFileSync(record, "");
  const env = { PATH: join(directory, "bin"), HOME: process.env.HOME, RECORD: record };
  const stdio = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
  Bun.spawnSync([`/bin/${shell}`, "-c", text, shell], { cwd: directory, env, ...stdio });
  const lines = readFileSync(record, "utf8").split("\0\n\0").slice(0, -1);
  return lines.map((line) => line.split("\0")).sort();
}

testWith("dash")("processes get the words that were read", async () => {
  const directory = scratchPath();
  try {
    Bun.spawnSync(["mkdir", join(directory, "bin")]);
    const recorder = join(directory, "bin/recorder");
    writeFileSync(recorder, `#!/bin/sh\nprintf '%s\\0' "\${0##*/}" "$@" '\n' >>"$RECORD"\n`);
    chmodSync(recorder, 0o755);
    for (const name of RECORDED) symlinkSync("recorder", join(directory, "bin", name));
    for (const text of [
      "one 'a b' \"c\\\"d\" e\\ f '' ~/x --x='y z' \\*",
      "one a | two b && three c; (two e; three f) >/dev/null",
      "{ one \"a\nb\"; } 2>/dev/null\n! two 'it'\\''s' # three",
    ]) {
      const reading = readCommand(text);
      const outcomes = [text, reading?.script ?? ""].flatMap((script) =>
        ["bash", "dash"].map((shell) => startedBy(shell, script, directory)),
      );
      expect(outcomes).toEqual(outcomes.map(() => (reading?.programs ?? []).map(({ argv }) => argv).sort()));
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
