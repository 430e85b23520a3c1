// dist/cli.js is what hosts start with `node`; it must pass on everything: stdio, signals, exit code.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dist } from "../../scripts/paths.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

const home = scratchPath();
const env = { PATH: process.env.PATH, HOME: home, PINTLE_HOME: home };

function start(script, args) {
  const child = spawn(process.execPath, [script, ...args], { cwd: home, env, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const exited = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, ...output })));
  return { child, exited, output };
}

test("node cli.js passes on arguments, output and exit code", async () => {
  const { code, stdout } = await start(join(dist, "cli.js"), ["--version"]).exited;
  assert.equal(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  assert.equal((await start(join(dist, "cli.js"), ["-z"]).exited).code, 2);
});

test("node cli.js --mode rpc answers, and ends with code 0 when stdin closes", async () => {
  const { child, exited } = start(join(dist, "cli.js"), ["--mode", "rpc", "--model", "pintle/offline"]);
  child.stdin.end('{"id":"a","type":"get_state"}\n');
  const { code, stdout } = await exited;
  const frames = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(code, 0);
  assert.equal(frames[0].type, "ready");
  assert.ok(frames.some((frame) => frame.id === "a" && frame.success === true));
});

test("a signal to node reaches the program, whose exit code is passed on", async () => {
  const { child, exited } = start(join(dist, "cli.js"), ["--mode", "rpc", "--model", "pintle/offline"]);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGTERM");
  assert.equal((await exited).code, 143);
});

test("without a compiled program node reports what is missing", async () => {
  const copy = scratchPath();
  for (const name of ["cli.js", "start-program.cjs", "package.json", "pintle.bundle.js"])
    cpSync(join(dist, name), join(copy, name));
  const { code, stderr } = await start(join(copy, "cli.js"), ["--version"]).exited;
  assert.equal(code, 1);
  assert.match(stderr, /no compiled program/);
  rmSync(copy, { recursive: true });
});
