import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { FLAGS } from "../../src/cli/flags.ts";
import { COMPATIBLE_PROGRAMS } from "../../src/commands/compat.ts";
import { SUBCOMMANDS } from "../../src/commands/subcommands.ts";
import { DIALECTS } from "../../src/modes/rpc/dialects/dialect.ts";
import { version, WIRE_VERSIONS } from "../../src/version.ts";
import { cleanEnvironment, program, runProgram } from "../support/program.ts";

/** An environment with a directory that is first on the PATH. */
function machine() {
  const scratch = scratchDirectory();
  const bin = join(scratch.path, "a 'bin'");
  const env = cleanEnvironment(scratch.path);
  const home = join(scratch.path, ".pintle");
  mkdirSync(home, { recursive: true });
  return {
    bin,
    home,
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
  expect((await at.start(path, ["--version"])).stdout).toBe(`${WIRE_VERSIONS.pi}\n`);
  expect((await at.start(path, ["--version"], { PINTLE_DIALECT: "seed" })).stdout).toBe(`${version}\n`);
  const answer = await at.start(path, ["-p", "--model", "pintle/offline", "two words", "@none"]);
  expect([answer.code, answer.stderr]).toEqual([1, expect.stringContaining("none")]);
});

test("every launcher names an existing dialect, and the tables agree", async () => {
  using at = machine();
  const names = Object.keys(COMPATIBLE_PROGRAMS);
  expect(SUBCOMMANDS.compat?.wordChoices).toEqual(names);
  expect<string[]>([...FLAGS.dialect.choices].sort()).toEqual(Object.keys(DIALECTS).sort());
  for (const name of names) {
    expect((await at.run("compat", name, "--install", at.bin)).code).toBe(0);
    expect((await at.start(join(at.bin, name), ["--version"])).code).toBe(0);
  }
});

test("overwrites a launcher, but not another program", async () => {
  using at = machine();
  for (const _ of [1, 2]) expect((await at.run("compat", "omp", "--install", at.bin)).code).toBe(0);
  expect(statSync(join(at.bin, "omp")).mode & 0o111).toBe(0o111);
  writeFileSync(join(at.bin, "pi"), "#!/bin/sh\necho the real one\n");
  const refused = await at.run("compat", "pi", "--install", at.bin);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("already exists and was not written by pintle");
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

test("reports if clients would find another program than the launcher", async () => {
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

describe("subcommands of the family are never sent to a model", () => {
  async function launchers() {
    const at = machine();
    for (const name of Object.keys(COMPATIBLE_PROGRAMS)) await at.run("compat", name, "--install", at.bin);
    return at;
  }

  test.each([
    "pi install npm:x",
    "pi remove npm:x",
    "pi update",
    "pi mcp add x",
    "pi auth print-api-key --provider openai",
    "pi config set model x",
    "pi list --verbos",
    "omp plugin list",
    "omp read a.txt",
    "omp login",
    "omp --approval-mode=yolo update",
  ])("%s is refused", async (line) => {
    using at = await launchers();
    const [name = "", ...args] = line.split(" ");
    const { code, stdout, stderr } = await at.start(join(at.bin, name), args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Try: pintle --help");
  });

  test.each([
    [["auth", "check"], 1, "not_ready\n"],
    [["auth", "check", "--provider", "openai"], 1, "not_ready\n"],
    [
      ["auth", "check", "--provider", "none", "--json"],
      1,
      '{"status":"not_ready","provider":"none","reason":"provider_not_found"}\n',
    ],
    [["list"], 0, "No packages installed.\n"],
    [["config"], 0, "All settings have their default values.\n"],
    [["config", "get", "interruptMode"], 0, 'interruptMode = "wait"  (default)\n'],
    [["mcp", "list"], 0, "No MCP servers configured.\n"],
  ])("pi %j", async (args, code, stdout) => {
    using at = await launchers();
    expect(await at.start(join(at.bin, "pi"), args)).toEqual({ code, stdout, stderr: "" });
  });

  test("with a key and a server, auth check and mcp list say so, without a secret", async () => {
    using at = await launchers();
    const pi = join(at.bin, "pi");
    const key = { OPENAI_API_KEY: "sk-of-a-test" };
    expect(await at.start(pi, ["auth", "check", "--provider", "openai"], key)).toMatchObject({
      code: 0,
      stdout: "ready\n",
    });
    expect(await at.start(pi, ["auth", "check"], key)).toMatchObject({ code: 0, stdout: "ready\n" });
    const url = "http://127.0.0.1:9/mcp?token=secret";
    writeFileSync(join(at.home, "mcp.json"), JSON.stringify({ mcpServers: { docs: { url } } }));
    const { code, stdout } = await at.start(pi, ["mcp", "list"]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^docs {2}http {2}http:\/\/127\.0\.0\.1:9 {2}\(.*mcp\.json\)\n$/),
    ]);
  });

  test("pintle itself has no such subcommands", async () => {
    using at = machine();
    expect(await at.run("--model", "pintle/offline", "-p", "list")).toMatchObject({ code: 0 });
  });
});
