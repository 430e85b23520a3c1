import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../support/program.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Tests values that were once silently dropped or accepted, with the built program.

test("--api-key without a provider ends with 2 and the reason, and has no effect with the offline model", async () => {
  using place = machine();
  for (const args of [
    ["-p", "hi"],
    ["--mode", "rpc"],
  ]) {
    const { code, stdout, stderr } = await runProgram([...args, "--api-key", "secret-key-value"], place);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("--api-key needs a provider");
    expect(stderr).not.toContain("secret-key-value");
  }
  const { code } = await runProgram(["-p", "--model", "pintle/offline", "--api-key", "x", "help"], place);
  expect(code).toBe(0);
});

test.each(["nope.md", "prompts/nope", "@nope", "@nope.md"])(
  "--system-prompt %s that does not exist ends with 2",
  async (value) => {
    using place = machine();
    const { code, stderr } = await runProgram(["-p", "--system-prompt", value, "help"], place);
    expect(code).toBe(2);
    expect(stderr).toContain("no such file");
  },
);

test("--system-prompt accepts text, a path and @file", async () => {
  using place = machine();
  writeFileSync(join(place.cwd, "my prompt.md"), "From the file.");
  for (const [value, expected] of [
    ["Be brief.", "Be brief."],
    ["brief", "brief"],
    ["my prompt.md", "From the file."],
    ["@my prompt.md", "From the file."],
  ] as const) {
    await using rpc = await startRpc(["--system-prompt", value], place);
    expect((await rpc.call("get_state")).data.systemPrompt).toContain(expected);
  }
});

test("rejects names and instructions that are too long", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  const long = "x".repeat(501);
  expect(await rpc.call("set_session_name", { name: long })).toMatchObject({
    success: false,
    error: "Session name must have at most 500 characters",
  });
  expect(await rpc.call("set_session_name", { name: long.slice(1) })).toMatchObject({ success: true });
  const todo = (name: string, content: string) => rpc.call("set_todos", { phases: [{ name, tasks: [{ content }] }] });
  expect(await todo(long, "a")).toMatchObject({
    success: false,
    error: expect.stringContaining("phases[0].name must be"),
  });
  expect(await todo("a", long)).toMatchObject({
    success: false,
    error: expect.stringContaining("at most 500 characters"),
  });
  expect(await todo("a", "b")).toMatchObject({ success: true });
  expect(await rpc.call("compact", { customInstructions: "x".repeat(20_001) })).toMatchObject({
    success: false,
    error: "Invalid compact: customInstructions must be a string of at most 20000 characters",
  });
});

test("sends queue_update at most ten times per second, and the last one is correct", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  const texts = Array.from({ length: 300 }, (_, index) => `m${index}`);
  rpc.send(...texts.map((message) => ({ type: "follow_up", message })));
  const all = await rpc.until(({ type, followUp }) => type === "queue_update" && followUp.length === texts.length);
  expect(all.followUp).toEqual(texts);
  expect(rpc.frames.filter(({ type }) => type === "queue_update").length).toBeLessThan(150);
});

test("export_html into a missing directory fails with one sentence", async () => {
  using place = machine();
  await using rpc = await startRpc([], place);
  await rpc.prompt("one");
  const directory = join(place.cwd, "missing");
  expect(await rpc.call("export_html", { outputPath: "missing/page.html" })).toMatchObject({
    success: false,
    error: `The directory "${directory}" does not exist; create it, or name another path`,
  });
});

test("get_state includes the strength of the sandbox", async () => {
  using place = machine();
  await using rpc = await startRpc(["--permissions", "workspace"], place);
  const { sandbox } = (await rpc.call("get_state")).data;
  expect(sandbox.mode).toBe("workspace-write");
  expect(["full", "partial", "none"]).toContain(sandbox.strength);
});
