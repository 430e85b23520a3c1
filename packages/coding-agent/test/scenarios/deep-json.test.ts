import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { type Respond, sendEvents } from "../../../ai/test/support/loopback-server.ts";
import { CHAT, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { sessionFiles } from "../support/scenarios/stored-sessions.ts";

// Values with tens of thousands of levels: the JSON writer accepts some of them and runs out of stack on others. Every test
// ends with what such a value used to break: responses to commands, the abort, and the end of the process.

const DEPTHS = [23_000, 30_000, 60_000];
const deepText = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const echo = { name: "echo", description: "d", parameters: { type: "object" } };

/** An answer that consists of one call with exactly these arguments. */
function callsWith(name: string, argumentsText: string): Respond {
  const call = { index: 0, id: "call_1", function: { name, arguments: argumentsText } };
  const choice = { index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" };
  return sendEvents(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
}

/** Checks that it responds, that a run can be aborted, and that its events so far were in order. */
async function expectAlive(rpc: RpcChild, held: ReturnType<typeof heldAnswer>): Promise<void> {
  expect((await rpc.call("get_state")).data.isStreaming).toBe(false);
  await rpc.call("prompt", { message: "once more" });
  await held.asked;
  rpc.send({ type: "abort" });
  await held.left;
  await rpc.until(({ type }) => type === "agent_settled");
  expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
}

const ENDS: readonly [string, (rpc: RpcChild) => Promise<unknown>][] = [
  ["a closed stdin", (rpc) => rpc.end()],
  ["SIGTERM", (rpc) => rpc.kill("SIGTERM")],
];

const resultOf = (rpc: RpcChild) => rpc.frames.findLast(({ type }) => type === "tool_execution_end");

/** The file contains what was emitted. */
function storedRoles(sessionDir: string): string[] {
  const lines = readFileSync(sessionFiles(sessionDir).at(-1) as string, "utf8")
    .trim()
    .split("\n");
  return lines.flatMap((line) => JSON.parse(line).message?.role ?? []);
}

describe.each(DEPTHS)("%i levels", (levels) => {
  test.each(ENDS)("in a model's arguments cause an error result, and %s ends the program", async (_, end) => {
    const held = heldAnswer();
    await using chat = await chatPlace(callsWith("read", deepText(levels)), says("I see"), held.respond);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("x");
    expect(resultOf(rpc)).toMatchObject({ toolName: "read", isError: true });
    expect(resultOf(rpc)?.result.content[0].text).toContain("Arguments are nested more than 200 levels deep");
    expect(rpc.frames.findLast(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "stop" });
    expect(storedRoles(chat.place.sessionDir)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    await expectAlive(rpc, held);
    await end(rpc);
  });

  test.each(ENDS)("in the details of a host tool cause an error result, and %s ends the program", async (_, end) => {
    const held = heldAnswer();
    await using chat = await chatPlace(callsTools({ name: "echo" }), says("I see"), held.respond);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_host_tools", { tools: [echo] });
    await rpc.call("prompt", { message: "x" });
    const { id } = await rpc.until(({ type }) => type === "host_tool_call");
    const result = `{"content":[{"type":"text","text":"fine"}],"details":${deepText(levels)}}`;
    rpc.sendLine(`{"type":"host_tool_result","id":"${id}","result":${result}}`);
    const refusal = await rpc.until(({ command }) => command === "parse");
    expect(refusal).toMatchObject({ success: false, requestId: id });
    expect(refusal.error).toContain("nested more than 200 levels deep");
    await rpc.until(({ type }) => type === "agent_settled");
    expect(resultOf(rpc)).toMatchObject({ toolName: "echo", isError: true });
    expect(storedRoles(chat.place.sessionDir)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    await expectAlive(rpc, held);
    await end(rpc);
  });

  test("in a command are rejected, and the next line is read", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, chat.place);
    rpc.sendLine(`{"type":"get_state","id":"deep","more":${deepText(levels)}}`);
    expect(await rpc.until(({ command }) => command === "parse")).toMatchObject({ requestId: "deep" });
    await expectAlive(rpc, held);
    expect(await rpc.end()).toBe(0);
  });

  test.each(["--session", "--fork"])(
    "in a line of a session given with %s are skipped, reported and preserved",
    async (flag) => {
      const held = heldAnswer();
      await using chat = await chatPlace(held.respond);
      const file = await sessionWithDeepLine(chat.place, levels);
      await using rpc = await startRpc([...CHAT, flag, file], chat.place);
      const { messages } = (await rpc.call("get_messages")).data;
      expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
      expect((await rpc.call("get_tree")).success).toBe(true);
      expect((await rpc.call("clone")).data).toEqual({ cancelled: false });
      expect((await rpc.call("get_messages")).data.messages).toHaveLength(2);
      await expectAlive(rpc, held);
      expect(await rpc.end()).toBe(0);
      expect(await rpc.stderr()).toContain("1 line(s) could not be read completely");
      expect(readFileSync(file, "utf8")).toContain('"a":{"a":{"a":'); // nothing that existed is lost
    },
  );
});

/** A conversation followed by a result whose details are that deep. */
async function sessionWithDeepLine(place: { root: string }, levels: number): Promise<string> {
  const directory = join(place.root, "given");
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "deep.jsonl");
  const at = "2026-01-01T00:00:00.000Z";
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const said = {
    role: "assistant",
    content: [{ type: "text", text: "hi" }],
    api: "openai-completions",
    provider: "local",
    model: "m",
    usage,
    stopReason: "stop",
    timestamp: 2,
  };
  const lines = [
    { type: "session", version: 3, id: "deep-session", timestamp: at, cwd: place.root },
    {
      type: "message",
      id: "00000001",
      parentId: null,
      timestamp: at,
      message: { role: "user", content: [{ type: "text", text: "x" }], timestamp: 1 },
    },
    { type: "message", id: "00000002", parentId: "00000001", timestamp: at, message: said },
  ].map((line) => JSON.stringify(line));
  const head = `{"type":"custom","id":"00000003","parentId":"00000002","timestamp":"${at}","customType":"x","data":`;
  writeFileSync(file, `${[...lines, `${head}${deepText(levels)}}`].join("\n")}\n`);
  return file;
}
