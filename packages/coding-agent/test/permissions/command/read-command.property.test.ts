import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readCommand } from "../../../src/permissions/command/read-command.ts";

// The shell itself is the judge: whatever a real bash starts must be among the programs that the reader found.

const NAMES = ["one", "two", "three"];
const WORDS = [
  "a",
  "-b",
  "*",
  "x*",
  "{a,b}",
  "'q r'",
  '"s t"',
  '"$HOME"',
  "$HOME",
  "`one`",
  "$(two)",
  "\\;",
  "\\ ",
  "~",
  "=a",
];
const JOINTS = [
  " ",
  "  ",
  ";",
  "&&",
  "||",
  "|",
  "&",
  "\n",
  "\\\n",
  " #",
  ">",
  ">>",
  "<",
  "2>&1",
  "(",
  ")",
  "{ ",
  "; }",
  "!",
  "'",
  '"',
  "\\",
];
const OTHERS = [
  "A=1 ",
  "eval ",
  "if ",
  "then ",
  "fi",
  "<<E",
  "\nE\n",
  "<<<",
  "[[ ",
  "]] ",
  "$'",
  "\t",
  "exec ",
  "command ",
];

let directory: string;
let count = 0;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "pintle-shell-"));
  const name = "$" + "{0##*/}";
  // One write per call: the programs of a pipeline write at the same time.
  const script = `#!/bin/sh\nprintf "%s\\0" "$#" "${name}" "$@" >> "$CALLS"\n`;
  writeFileSync(join(directory, "recorder"), script, { mode: 0o755 });
  for (const name of NAMES) symlinkSync("recorder", join(directory, name));
  writeFileSync(join(directory, "x-file"), "");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function startedPrograms(text: string): string[][] {
  count += 1;
  const calls = join(directory, `.calls-${count}`); // of this text alone: what runs in the background may write late
  writeFileSync(calls, "");
  const env = { PATH: directory, CALLS: calls, HOME: directory };
  // An absolute shell and absolute tools of the recorder: PATH has nothing but the recorders.
  Bun.spawnSync(["/bin/bash", "-c", text], {
    cwd: directory,
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    timeout: 5000,
  });
  return recordedCalls(readFileSync(calls, "utf8").split("\0").slice(0, -1));
}

/** Each call: the number of its arguments, its program, its arguments. */
function recordedCalls(fields: string[]): string[][] {
  const calls: string[][] = [];
  for (let at = 0; at < fields.length; ) {
    const end = at + 2 + Number(fields[at]);
    calls.push(fields.slice(at + 1, end));
    at = end;
  }
  return calls;
}

const fragment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 5, arbitrary: fc.constantFrom(...JOINTS) },
  { weight: 1, arbitrary: fc.constantFrom(...OTHERS) },
  { weight: 3, arbitrary: fc.constant(" ") },
);

test("what bash starts is what was read, for texts made of all that a shell has", () => {
  let understood = 0;
  const runs = Number(process.env.PINTLE_PROPERTY_RUNS ?? 600);
  fc.assert(
    fc.property(fc.array(fragment, { minLength: 1, maxLength: 14 }), (fragments) => {
      const text = fragments.join("");
      const reading = readCommand(text);
      if (reading === undefined) return;
      understood += 1;
      for (const argv of startedPrograms(text)) {
        if (!reading.programs.some((read) => isSame(read, argv, reading.hasPatterns))) {
          throw new Error(`${text} started ${JSON.stringify(argv)}, known were ${JSON.stringify(reading.programs)}`);
        }
      }
    }),
    { numRuns: runs, ...(process.env.PINTLE_PROPERTY_SEED && { seed: Number(process.env.PINTLE_PROPERTY_SEED) }) },
  );
  expect(understood).toBeGreaterThan(runs / 20);
});

/** `~` becomes the home directory; what a pattern becomes depends on the files, but never the program. */
function isSame(read: string[], started: string[], hasPatterns: boolean): boolean {
  if (hasPatterns) return read[0] === started[0];
  return JSON.stringify(read.map((word) => (word === "~" ? directory : word))) === JSON.stringify(started);
}
