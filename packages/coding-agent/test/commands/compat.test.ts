import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FLAGS } from "../../src/cli/flags.ts";
import { COMPATIBLE_PROGRAMS } from "../../src/commands/compat/programs.ts";
import { SUBCOMMANDS } from "../../src/commands/subcommands.ts";
import { DIALECTS } from "../../src/modes/rpc/dialects/dialect.ts";
import { PI_WIRE_VERSION, version } from "../../src/version.ts";
import { cleanEnvironment, program, runProgram, scratchDirectory } from "../support/program.ts";

/** A machine with a directory that is first on the PATH. */
function machine() {
  const scratch = scratchDirectory();
  const bin = join(scratch.path, "a 'bin'");
  const env = cleanEnvironment(scratch.path);
  return {
    bin,
    run: (...args: string[]) =>
      runProgram(args, { cwd: scratch.path, env: { ...env, PATH: `${bin}:${env.PATH}` }, command: [program] }),
    start: (launcher: string, args: string[], more: Record<string, string> = {}) =>
      runProgram(args, { cwd: scratch.path, env: { ...env, ...more }, command: [launcher] }),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

test("a launcher starts pintle in the dialect of the program it is named after", async () => {
  using at = machine();
  const path = join(at.bin, "pi");
  expect(await at.run("compat", "pi", "--install", at.bin)).toEqual({ code: 0, stdout: `${path}\n`, stderr: "" });
  expect((await at.start(path, ["--version"])).stdout).toBe(`${PI_WIRE_VERSION} (pintle ${version})\n`);
  expect((await at.start(path, ["--version"], { PINTLE_DIALECT: "seed" })).stdout).toBe(`${version}\n`);
  const answer = await at.start(path, ["-p", "--model", "pintle/offline", "two words", "@none"]);
  expect([answer.code, answer.stderr]).toEqual([1, expect.stringContaining("none")]);
});

test("every launcher names a dialect that there is, and the tables agree on what there is", async () => {
  using at = machine();
  const names = Object.keys(COMPATIBLE_PROGRAMS);
  expect(SUBCOMMANDS.compat?.wordChoices).toEqual(names);
  expect<string[]>([...FLAGS.dialect.choices].sort()).toEqual(Object.keys(DIALECTS).sort());
  for (const name of names) {
    expect((await at.run("compat", name, "--install", at.bin)).code).toBe(0);
    expect((await at.start(join(at.bin, name), ["--version"])).code).toBe(0);
  }
});

test("a launcher may be written again, a program of somebody else is left alone", async () => {
  using at = machine();
  for (const _ of [1, 2]) expect((await at.run("compat", "omp", "--install", at.bin)).code).toBe(0);
  expect(statSync(join(at.bin, "omp")).mode & 0o111).toBe(0o111);
  writeFileSync(join(at.bin, "pi"), "#!/bin/sh\necho the real one\n");
  const refused = await at.run("compat", "pi", "--install", at.bin);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("is there already and was not written by pintle");
  expect(readFileSync(join(at.bin, "pi"), "utf8")).toContain("the real one");
});

test("without a directory the launcher is printed", async () => {
  using at = machine();
  const { code, stdout } = await at.run("compat", "pi");
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^#!\/bin\/sh\n# written by pintle compat pi\n(.*\n)+exec '/),
  ]);
});

test("it says when the launcher is not the one that a client would find", async () => {
  using at = machine();
  const other = join(at.bin, "..", "other");
  expect((await at.run("compat", "pi", "--install", other)).stderr).toContain(`${other} is not on the PATH`);
  mkdirSync(at.bin);
  writeFileSync(join(at.bin, "pi"), "#!/bin/sh\n");
  chmodSync(join(at.bin, "pi"), 0o755);
  const result = await runProgram(["compat", "pi", "--install", other], {
    cwd: at.bin,
    env: { ...cleanEnvironment(at.bin), PATH: `${at.bin}:${other}` },
  });
  expect(result.stderr).toContain("comes first on the PATH");
});

test.each([[[]], [["emacs"]], [["pi", "omp"]]])("compat %j is a usage error", async (words) => {
  using at = machine();
  const { code, stderr } = await at.run("compat", ...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining("pintle compat needs one of pi, omp")]);
});
