import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { sandboxSettings } from "../../../coding-agent/src/config/settings/sandbox-settings.ts";
import { Settings } from "../../../coding-agent/src/config/settings/settings.ts";
import { where } from "../../../coding-agent/test/support/where.ts";
import { LazyProcessRunner } from "../../src/processes/lazy-process-runner.ts";
import { runShellCommand } from "../../src/processes/shell/shell-command.ts";
import { LazySandbox, type LazySandboxParts } from "../../src/sandbox/lazy-sandbox.ts";
import { availableStrength } from "../support/sandbox/available.ts";

const full = where((await availableStrength()).full === "full", "needs bubblewrap, Landlock and seccomp");

let root: string;
let processRunner: LazyProcessRunner;
beforeEach(() => {
  // This directory is inside the one for temporary files, to which commands may write, so the sandbox gets a different
  // one.
  root = scratchPath();
  for (const name of ["home/.ssh", "home/.cache/tool", "home/notes", "work", "other", "temporary"]) {
    mkdirSync(join(root, name), { recursive: true });
  }
  writeFileSync(join(root, "home/.ssh/key"), "SECRET");
  writeFileSync(join(root, "home/notes/private"), "SECRET");
  processRunner = new LazyProcessRunner();
});
afterEach(async () => {
  await processRunner.killAll("shutdown", 0);
  rmSync(root, { recursive: true, force: true });
});

function open(
  overrides: Parameters<Settings["applyOverrides"]>[0],
  other: Partial<LazySandboxParts> = { temporary: [join(root, "temporary")] },
): LazySandbox {
  const settings = Settings.inMemory();
  settings.applyOverrides(overrides);
  return new LazySandbox({
    settings: () => sandboxSettings(settings),
    env: { HOME: join(root, "home") },
    home: join(root, "home/.pintle"),
    cwd: () => join(root, "work"),
    preset: () => "full",
    version: "1",
    processRunner,
    ...other,
  });
}

async function run(sandbox: LazySandbox, command: string): Promise<string> {
  const inside = await sandbox.for("model");
  const { output } = await runShellCommand(await processRunner.open(), {
    command,
    cwd: join(root, "work"),
    limits: { maxLines: 50, maxBytes: 5_000 },
    wrap: inside && ((start) => inside.wrap(start)),
  });
  return output;
}

test("off by default, for every kind of command", async () => {
  const sandbox = open({});
  expect(sandbox.status).toEqual({ mode: "off", strength: "unknown" });
  expect(await Promise.all((["model", "user", "mcp"] as const).map((kind) => sandbox.for(kind)))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("the user's commands and servers are in it only when they are to", async () => {
  const kinds = async (sandbox: LazySandbox) =>
    (await Promise.all((["model", "user", "mcp"] as const).map((kind) => sandbox.for(kind)))).map(Boolean);
  expect(await kinds(open({ "sandbox.mode": "read-only" }))).toEqual([true, false, false]);
  expect(await kinds(open({ "sandbox.mode": "read-only", "sandbox.userCommands": true }))).toEqual([true, true, false]);
  expect(await kinds(open({ "sandbox.mode": "read-only", "sandbox.mcp": true }))).toEqual([true, false, true]);
});

full.test("settings name places in the home directory and beside the workspace", async () => {
  const sandbox = open({
    "sandbox.mode": "workspace-write",
    "sandbox.write": ["~/.cache/tool"],
    "sandbox.hide": ["~/notes"],
  });
  const script = `echo x > ../home/.cache/tool/made; echo x > ../other/made; cat ../home/notes/private ../home/.ssh/key`;
  expect(await run(sandbox, script)).not.toContain("SECRET");
  expect(readFileSync(join(root, "home/.cache/tool/made"), "utf8")).toBe("x\n");
  expect(() => readFileSync(join(root, "other/made"))).toThrow("ENOENT");
});

full.test("commands may write to the system's directories for temporary files", async () => {
  const env = { HOME: join(root, "home"), TMPDIR: join(root, "temporary") };
  await run(open({ "sandbox.mode": "workspace-write" }, { env }), "echo x > ../temporary/made");
  expect(readFileSync(join(root, "temporary/made"), "utf8")).toBe("x\n");
});

full.test("further directories count like the workspace", async () => {
  const other = join(root, "other");
  const parts = { temporary: [], roots: () => [other] };
  await run(open({ "sandbox.mode": "workspace-write" }, parts), "echo x > ../other/made");
  expect(readFileSync(join(other, "made"), "utf8")).toBe("x\n");
});

full.test("its status tells the strength once a command has found it out", async () => {
  const sandbox = open({ "sandbox.mode": "read-only" });
  await sandbox.recall();
  expect(sandbox.status).toEqual({ mode: "read-only", strength: "unknown" });
  await run(sandbox, "true");
  expect(sandbox.status).toEqual({ mode: "read-only", strength: "full" });
  const next = open({ "sandbox.mode": "read-only" });
  await next.recall();
  expect(next.status).toEqual({ mode: "read-only", strength: "full" });
});

full.test("a place for its programs that cannot be made refuses commands", async () => {
  writeFileSync(join(root, "home/.pintle"), "a file");
  const error = await run(open({ "sandbox.mode": "read-only" }), "true").catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "StartError", code: "sandbox_failed" });
});
