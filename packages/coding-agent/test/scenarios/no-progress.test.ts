import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { type Respond, sendEvents, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { runProgram } from "../support/program.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Runs the built program with a model that repeats itself.

const sse = (delta: object, finish_reason: string): Respond =>
  sendEvents(
    [JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] }), "[DONE]"]
      .map((data) => `data: ${data}\n\n`)
      .join(""),
  );
const says = (content: string) => sse({ content }, "stop");
const calls = (name: string, args: object = {}) =>
  sse({ tool_calls: [{ index: 0, id: "c", function: { name, arguments: JSON.stringify(args) } }] }, "tool_calls");
const times = (count: number, ...answers: Respond[]) => Array.from({ length: count }, () => answers).flat();

async function stage(answers: Respond[]) {
  const place = machine();
  const server = await startLoopbackServer(...answers);
  const home = place.env.PINTLE_HOME as string;
  mkdirSync(home, { recursive: true });
  const provider = { baseUrl: server.url, api: "openai-completions", auth: "none", models: [{ id: "m" }] };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { local: provider } }));
  return {
    place,
    requests: server.requests,
    start: (flags: string[] = []) => startRpc(["--model", "local/m", "--permissions", "full", ...flags], place),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

const sent = ({ frames }: RpcChild, type: string) => frames.filter((frame) => frame.type === type);
const until = (rpc: RpcChild, type: string) => rpc.until((frame) => frame.type === type);
const reached = { type: "budget_reached", scope: "run" };

test("a model that repeats one call receives a note after 5, the host a notice, and the run pauses after 20", async () => {
  await using on = await stage([...times(25, calls("ls")), says("done")]);
  await using rpc = await on.start();
  await rpc.call("set_host_capabilities", { budgets: true });
  await rpc.call("prompt", { message: "go" });
  expect(await until(rpc, "budget_reached")).toEqual({
    ...reached,
    limit: "identicalCalls",
    used: 20,
    max: 20,
    reason: "no_progress",
  });
  expect(on.requests).toHaveLength(20);
  expect((await rpc.call("get_pending")).data.pending).toMatchObject([{ kind: "budget", label: "identicalCalls" }]);
  expect(sent(rpc, "notice")).toMatchObject([{ source: "budget", code: "no_progress", level: "warning" }]);
  const notes = sent(rpc, "message_end").filter(({ message }) => message.role === "developer");
  expect(notes.map(({ message }) => message.content)).toEqual([expect.stringContaining("same tool call")] as never);

  expect(await rpc.call("raise_budget", { identicalCalls: 19 })).toMatchObject({ success: false });
  expect(await rpc.call("raise_budget", { identicalCalls: 23 })).toMatchObject({
    success: true,
    data: { scope: "run", left: { identicalCalls: 3 } },
  });
  expect(await until(rpc, "budget_reached")).toMatchObject({ used: 23, max: 23, reason: "no_progress" });
  await rpc.call("raise_budget", { identicalCalls: 100 });
  await until(rpc, "agent_settled");
  expect(sent(rpc, "agent_end")).toMatchObject([{ stopReason: "stop" }]);
  expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
});

test("without a host that answers budgets the run ends with an error that names the setting", async () => {
  await using on = await stage(times(30, calls("ls")));
  await using rpc = await on.start();
  await rpc.prompt("go");
  expect(on.requests).toHaveLength(20);
  expect(sent(rpc, "agent_end")).toMatchObject([{ stopReason: "error" }]);
  expect(sent(rpc, "agent_end")[0]?.messages.at(-1).errorMessage).toBe(
    "Stopped after 20 identical calls of ls with the same result (agent.maxIdenticalCalls is 20)",
  );
});

test("pintle -p ends with the same error", async () => {
  await using on = await stage(times(30, calls("ls")));
  const { code, stderr } = await runProgram(["-p", "--model", "local/m", "go"], on.place);
  expect(code).toBe(1);
  expect(stderr).toContain("agent.maxIdenticalCalls is 20");
  expect(on.requests).toHaveLength(20);
});

test.each([
  ["two", [calls("ls"), calls("find", { pattern: "*.none" })]],
  ["three", [calls("ls"), calls("find", { pattern: "*.none" }), calls("ls", { path: "." })]],
])("a cycle of %s calls is counted in rounds", async (_name, cycle) => {
  await using on = await stage(times(30, ...cycle));
  await using rpc = await on.start(["--set", "agent.maxIdenticalCalls=6"]);
  await rpc.prompt("go");
  expect(on.requests).toHaveLength(6 * cycle.length);
  expect(sent(rpc, "agent_end")[0]?.messages.at(-1).errorMessage).toMatch(
    /^Stopped after 6 identical rounds of the calls .* \(agent\.maxIdenticalCalls is 6\)$/,
  );
});

test("a changed result is progress, and 0 means no limit", async () => {
  const tick = calls("bash", { command: "echo x >> log; wc -l < log" });
  await using on = await stage([...times(25, tick), says("done"), ...times(25, calls("ls")), says("done")]);
  await using rpc = await on.start();
  await rpc.prompt("go");
  expect(sent(rpc, "agent_end")).toMatchObject([{ stopReason: "stop" }]);
  expect(sent(rpc, "notice")).toEqual([]);

  await using unlimited = await on.start(["--set", "agent.maxIdenticalCalls=0"]);
  await unlimited.prompt("go");
  expect(sent(unlimited, "agent_end")).toMatchObject([{ stopReason: "stop" }]);
  expect(sent(unlimited, "notice")).toMatchObject([{ code: "no_progress" }]);
});

test("counts host tools, except those whose name indicates polling", async () => {
  for (const [name, requests] of [
    ["lookup", 20],
    ["wait", 26],
  ] as const) {
    await using on = await stage([...times(25, calls(name)), says("done")]);
    await using rpc = await on.start();
    await rpc.call("set_host_tools", { tools: [{ name, description: "d", parameters: {} }] });
    await rpc.call("prompt", { message: "go" });
    for (;;) {
      const frame = await rpc.until(({ type }) => type === "host_tool_call" || type === "agent_settled");
      if (frame.type === "agent_settled") break;
      rpc.send({ type: "host_tool_result", id: frame.id, result: { content: [{ type: "text", text: "same" }] } });
    }
    expect(on.requests).toHaveLength(requests);
  }
});

test("asks a host that answers budgets after agent.askAfterTurns turns without user input", async () => {
  const tick = calls("bash", { command: "echo x >> log; wc -l < log" });
  await using on = await stage([...times(9, tick), says("done")]);
  await using rpc = await on.start(["--set", "agent.askAfterTurns=3"]);
  await rpc.call("set_host_capabilities", { budgets: true });
  await rpc.call("prompt", { message: "go" });
  expect(await until(rpc, "budget_reached")).toEqual({
    ...reached,
    limit: "turns",
    used: 3,
    max: 3,
    reason: "no_input",
  });
  expect(await rpc.call("raise_budget", { turns: 5 })).toMatchObject({ success: true, data: { left: { turns: 2 } } });
  expect(await until(rpc, "budget_reached")).toMatchObject({ limit: "turns", used: 5, max: 5, reason: "no_input" });
  // A user message restarts the count.
  await rpc.call("steer", { message: "go on" });
  await rpc.call("raise_budget", { turns: 6 });
  expect(await until(rpc, "budget_reached")).toMatchObject({ limit: "turns", used: 3, max: 3, reason: "no_input" });
  await rpc.call("abort");
  expect(await rpc.call("raise_budget", { turns: 9 })).toMatchObject({
    success: false,
    error: "There is no budget to raise",
  });
});

test("sends other hosts one notice about the turns, and the run continues", async () => {
  const tick = calls("bash", { command: "echo x >> log; wc -l < log" });
  await using on = await stage([...times(9, tick), says("done")]);
  await using rpc = await on.start(["--set", "agent.askAfterTurns=3"]);
  await rpc.prompt("go");
  expect(sent(rpc, "agent_end")).toMatchObject([{ stopReason: "stop" }]);
  expect(sent(rpc, "notice")).toMatchObject([{ code: "no_input", source: "budget" }]);
  expect(sent(rpc, "budget_reached")).toEqual([]);
});

test("one raise_budget continues past both a turn budget and agent.askAfterTurns", async () => {
  const tick = calls("bash", { command: "echo x >> log; wc -l < log" });
  await using on = await stage([...times(5, tick), says("done")]);
  await using rpc = await on.start(["--set", "agent.askAfterTurns=3", "--budget", "turns=3"]);
  await rpc.call("set_host_capabilities", { budgets: true });
  await rpc.call("prompt", { message: "go" });
  const first = await until(rpc, "budget_reached");
  expect(first).toMatchObject({ limit: "turns", used: 3, max: 3 });
  expect(first.reason).toBeUndefined();
  await rpc.call("raise_budget", { turns: 20 });
  await until(rpc, "agent_settled");
  expect(sent(rpc, "budget_reached")).toHaveLength(1);
  expect(sent(rpc, "agent_end")).toMatchObject([{ stopReason: "stop" }]);
});
