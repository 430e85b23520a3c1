// The installed `pintle` as people and hosts start it.
import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/paths.mjs";
import {
  emptyDirectory,
  installedPrefix,
  installedProject,
  PATIENCE_MS,
  runIn,
  startIn,
} from "./support/installed.mjs";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const RPC = ["--mode", "rpc", "--no-session", "--model", "pintle/offline"];

let project;
beforeAll(async () => {
  project = await installedProject();
}, PATIENCE_MS);

async function framesOf(command, cwd = project) {
  const { code, stdout, stderr } = await runIn(cwd, [...command, ...RPC], { input: '{"id":"a","type":"get_state"}\n' });
  const frames = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { code, stderr, types: frames.map(({ type, id }) => (id ? `${type} ${id}` : type)), frames };
}

test("npx pintle --version", async () => {
  const { code, stdout } = await runIn(project, ["npx", "--offline", "pintle", "--version"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
});

test("--version --json describes the build", async () => {
  const { code, stdout } = await runIn(project, ["node_modules/.bin/pintle", "--version", "--json"]);
  const facts = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(facts).toMatchObject({
    version,
    protocolVersion: 1,
    platform: `${process.platform}-${process.arch}`,
    bun: Bun.version,
  });
  expect(facts.executable).toContain(`node_modules/@pintle/${process.platform}-${process.arch}`);
});

test("refuses --json without -p or --version", async () => {
  const { code, stderr } = await runIn(project, ["node_modules/.bin/pintle", "--json", "--mode", "rpc"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--json goes with -p and --version")]);
});

describe("answers over RPC, finds its native parts, and ends when stdin closes", () => {
  const launcher = "node_modules/pintle/bin/pintle.cjs";
  test.each([
    ["started as npm links it", ["node_modules/.bin/pintle"]],
    ["as a script of Node", ["node", launcher]],
    ["as a script of Bun", [process.execPath, launcher]],
  ])("%s", async (_, command) => {
    const { code, types, frames } = await framesOf(command);
    expect(code).toBe(0);
    expect(types.slice(0, 2)).toEqual(["ready", "response a"]);
    expect(frames[1].success).toBe(true);
    writeFileSync(join(project, "needle.txt"), "needle\n");
    const found = await runIn(project, [
      ...command,
      "-p",
      "--no-session",
      "--model",
      "pintle/offline",
      "search needle",
    ]);
    expect(found.stdout).toContain("needle.txt");
  });
});

test(
  "npm install --global links a pintle that starts in any directory",
  async () => {
    const prefix = await installedPrefix();
    const { code, stdout } = await runIn(emptyDirectory("anywhere"), [join(prefix, "bin/pintle"), "--version"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
    const { types } = await framesOf([join(prefix, "bin/pintle")], emptyDirectory("anywhere"));
    expect(types).toContain("response a");
  },
  PATIENCE_MS,
);

test("exit codes are passed on", async () => {
  expect((await runIn(project, ["node_modules/.bin/pintle", "--no-such-option"])).code).toBe(2);
});

test("a signal to the launcher reaches the program", async () => {
  const { child, exited } = startIn(project, ["node", "node_modules/pintle/bin/pintle.cjs", ...RPC]);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGTERM");
  expect((await exited).code).toBe(143);
});

test("a program of the project is not used instead", async () => {
  const dist = join(project, "dist");
  mkdirSync(dist, { recursive: true });
  for (const name of ["pintle", "cli.js"])
    writeFileSync(join(dist, name), "#!/bin/sh\necho the project\n", { mode: 0o755 });
  try {
    expect((await runIn(project, ["node_modules/.bin/pintle", "--version"])).stdout).toBe(`${version}\n`);
  } finally {
    rmSync(dist, { recursive: true });
  }
});

test("without the platform's package it names the missing package and how to install it", async () => {
  const bare = emptyDirectory("bare");
  cpSync(join(project, "node_modules/pintle"), join(bare, "node_modules/pintle"), { recursive: true });
  const { code, stdout, stderr } = await runIn(bare, ["node", "node_modules/pintle/bin/pintle.cjs", "--version"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toStartWith(
    `pintle: the program for ${process.platform}-${process.arch} is not installed: there is no package @pintle/`,
  );
  expect(stderr).toContain("npm install --include=optional pintle");
  expect(stderr).toContain("Systems with a program: @pintle/linux-x64, ");
});
