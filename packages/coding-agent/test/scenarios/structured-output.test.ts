import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

const schema = {
  type: "object",
  properties: { line: { type: "integer" }, note: { type: "string" } },
  required: ["line"],
  additionalProperties: false,
};
const gives = (args: object, name = "structured_output") => callsTools({ name, args, id: "out" });
const bodyOf = ({ server }: ChatPlace, index: number) => server.requests.at(index)!.body as Record<string, unknown>;
const names = (chat: ChatPlace, index: number) =>
  ((bodyOf(chat, index).tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);

async function result(rpc: RpcChild, fields: object) {
  await rpc.call("prompt", { message: "go", ...fields });
  return rpc.until(({ type }) => type === "prompt_result");
}

describe("the result of a run", () => {
  test("includes its output, cost, changes and denials", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "write", args: { path: "new.txt", content: "a\nb\n" }, id: "w1" }),
      callsTools({ name: "write", args: { path: "old.txt", content: "one\nthree\n" }, id: "w2" }),
      callsTools({ name: "write", args: { path: "same.txt", content: "x" }, id: "w3" }),
      callsTools({ name: "write", args: { path: "same.txt", content: "same" }, id: "w4" }),
      callsTools({ name: "bash", args: { command: "echo no" }, id: "b1" }),
      gives({ line: 12 }),
    );
    writeFileSync(join(chat.place.cwd, "old.txt"), "one\ntwo\n");
    writeFileSync(join(chat.place.cwd, "same.txt"), "same");
    await using rpc = await startRpc(CHAT, chat.place);
    const rule = { effect: "deny", tool: "bash" };
    await rpc.call("set_policy", { rules: [rule] });
    const ended = await result(rpc, { outputSchema: schema });
    const { sessionId } = (await rpc.call("get_state")).data;
    expect(ended).toMatchObject({
      agentInvoked: true,
      status: "completed",
      stopReason: "stop",
      endedBy: "stop",
      output: { line: 12 },
      outputAttempts: 1,
      turns: 6,
      toolCalls: 5,
      sessionId,
      filesChanged: [
        { path: "new.txt", status: "added", added: 2, removed: 0, binary: false },
        { path: "old.txt", status: "modified", added: 1, removed: 1, binary: false },
      ],
      denials: [{ toolCallId: "b1", tool: "bash", kind: "execute", by: "rule", rule, layer: "host" }],
    });
    expect(ended.models).toMatchObject([{ provider: "local", model: "m", turns: 6 }]);
    expect(names(chat, 0).at(-1)).toBe("structured_output");
    expect(names(chat, 0)).toEqual(names(chat, -1));
  });

  test("reports the timeout, and the session remains usable", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("later"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "slow", timeoutMs: 200 });
    await held.asked;
    held.write("The beginning");
    const ended = await rpc.until(({ type }) => type === "prompt_result");
    expect(ended).toMatchObject({
      status: "aborted",
      stopReason: "aborted",
      endedBy: "timeout",
      text: "The beginning",
    });
    expect(await result(rpc, {})).toMatchObject({ status: "completed", endedBy: "stop", text: "later" });
  });

  test("reports an abort by the host, and a turn limit that ended it", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, callsTools({ name: "ls", id: "l1" }));
    await using rpc = await startRpc([...CHAT, "--set", "agent.maxTurns=1"], chat.place);
    await rpc.call("prompt", { message: "slow" });
    await held.asked;
    rpc.send({ id: "stop", type: "abort" });
    expect(await rpc.until(({ type }) => type === "prompt_result")).toMatchObject({ endedBy: "abort" });
    expect(await result(rpc, {})).toMatchObject({ status: "error", endedBy: "turn_limit", turns: 1, toolCalls: 1 });
  });
});

describe("the output", () => {
  test("is repaired, and attempts of one run do not count in the next", async () => {
    const wrong = gives({ line: "x" });
    await using chat = await chatPlace(wrong, gives({ line: 1 }), wrong, wrong, wrong, gives({ line: 2 }));
    await using rpc = await startRpc(CHAT, chat.place);
    expect(await result(rpc, { outputSchema: schema })).toMatchObject({ output: { line: 1 }, outputAttempts: 2 });
    const failed = await result(rpc, { outputSchema: schema });
    expect(failed).toMatchObject({
      status: "error",
      endedBy: "output",
      rejectedOutput: { line: "x" },
      outputAttempts: 3,
      error: { message: "The output does not match its schema: /line: must be integer" },
    });
    expect(failed).not.toHaveProperty("output");
    await rpc.call("set_output_schema", { schema });
    expect(await result(rpc, {})).toMatchObject({ output: { line: 2 }, outputAttempts: 1 });
  });

  test("is requested with a tool after the provider rejected the native format", async () => {
    const refusal = sendStatus(400, '{"error":{"message":"Invalid schema for response_format"}}');
    await using chat = await chatPlace(refusal, gives({ line: 1 }));
    await using rpc = await startRpc([...CHAT, "--set", "output.strategy=native"], chat.place);
    await rpc.call("prompt", { message: "go", outputSchema: schema });
    const notice = await rpc.until(({ type }) => type === "notice");
    expect(notice).toMatchObject({ source: "output", level: "warning" });
    expect(await rpc.until(({ type }) => type === "prompt_result")).toMatchObject({ output: { line: 1 } });
    expect(bodyOf(chat, 0).response_format).toMatchObject({ type: "json_schema" });
    expect(names(chat, 0)).not.toContain("structured_output");
    expect(bodyOf(chat, 1)).not.toHaveProperty("response_format");
    expect(names(chat, 1)).toContain("structured_output");
  });

  test("is still required from a run continued by another process, and not from later prompts", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, gives({ line: 4 }), says("plain"));
    let sessionFile = "";
    {
      await using rpc = await startRpc(CHAT, chat.place);
      sessionFile = (await rpc.call("get_state")).data.sessionFile;
      await rpc.call("prompt", { message: "go", outputSchema: schema });
      await held.asked;
      await rpc.call("abort");
    }
    expect(readFileSync(sessionFile, "utf8")).toContain('"outputSchema":{"type":"object"');
    await using rpc = await startRpc([...CHAT, "--session", sessionFile], chat.place);
    await rpc.call("continue_run");
    expect(await rpc.until(({ type }) => type === "prompt_result")).toMatchObject({ output: { line: 4 } });
    const plain = await result(rpc, {});
    expect(plain).toMatchObject({ status: "completed", text: "plain" });
    expect(plain).not.toHaveProperty("outputAttempts");
  });

  test("belongs to the prompt that started the run", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    await held.asked;
    for (const own of [{ outputSchema: schema }, { outputSchema: false }, { timeoutMs: 5 }]) {
      const joined = await rpc.call("prompt", { message: "also", streamingBehavior: "steer", ...own });
      expect(joined).toMatchObject({ success: false, code: "invalid_request" });
    }
    held.write("done");
    held.finish();
    expect(await rpc.until(({ type }) => type === "prompt_result")).toMatchObject({
      status: "completed",
      text: "done",
    });
  });

  test("by default stays when another session is opened, is never stored, and can be turned off for one prompt", async () => {
    await using chat = await chatPlace(gives({ line: 1 }), says("plain"), gives({ line: 2 }), gives({ line: 3 }));
    await using rpc = await startRpc(CHAT, chat.place);
    const state = async () => (await rpc.call("get_state")).data;
    expect(await state()).not.toHaveProperty("outputSchema");
    await rpc.call("set_output_schema", { schema });
    const { sessionFile, outputSchema } = await state();
    expect(outputSchema).toEqual(schema);
    expect(await result(rpc, {})).toMatchObject({ output: { line: 1 } });
    const plain = await result(rpc, { outputSchema: false });
    expect(plain).toMatchObject({ status: "completed", text: "plain" });
    expect(plain).not.toHaveProperty("output");
    await rpc.call("new_session");
    expect((await state()).outputSchema).toEqual(schema);
    expect(await result(rpc, {})).toMatchObject({ output: { line: 2 } });
    await rpc.call("switch_session", { sessionPath: sessionFile });
    expect(await result(rpc, {})).toMatchObject({ output: { line: 3 } });
    expect(readFileSync(sessionFile, "utf8")).not.toContain("set_output_schema");
  });

  test("is never removed by a tool selection, nor counted toward a budget", async () => {
    await using chat = await chatPlace(gives({ line: "x" }), gives({ line: 1 }));
    await using rpc = await startRpc([...CHAT, "--no-tools"], chat.place);
    await rpc.call("set_policy", { rules: [{ effect: "deny", tool: "*" }] });
    await rpc.call("set_budget", { toolCalls: 1, onReached: "stop" });
    expect(await result(rpc, { outputSchema: schema })).toMatchObject({
      output: { line: 1 },
      toolCalls: 0,
      denials: [],
    });
    expect(names(chat, 0)).toEqual(["structured_output"]);
  });

  test("waits for the decision on a preview", async () => {
    const rename = { ops: [{ pat: "greet", out: "welcome" }], paths: ["a.ts"] };
    await using chat = await chatPlace(
      callsTools({ name: "ast_edit", args: rename, id: "e" }),
      gives({ line: 1 }),
      callsTools({ name: "resolve", args: { action: "apply", reason: "as asked" }, id: "r" }),
      gives({ line: 2 }),
    );
    writeFileSync(join(chat.place.cwd, "a.ts"), "export function greet() {}\n");
    await using rpc = await startRpc([...CHAT, "--permissions", "full"], chat.place);
    expect(await result(rpc, { outputSchema: schema })).toMatchObject({
      output: { line: 2 },
      outputAttempts: 1,
      filesChanged: [{ path: "a.ts", status: "modified", added: 1, removed: 1, binary: false }],
    });
    expect(rpc.frames.filter(({ type }) => type === "output_rejected")).toEqual([]);
  });

  test("is not included in a summary, but in a recording", async () => {
    await using chat = await chatPlace(gives({ line: 1 }), says("A summary."));
    const recording = join(chat.place.cwd, "recording");
    {
      await using rpc = await startRpc(
        [...CHAT, "--record", recording, "--set", "compaction.keepRecentTokens=1"],
        chat.place,
      );
      await rpc.call("set_output_schema", { schema });
      expect(await result(rpc, {})).toMatchObject({ output: { line: 1 } });
      expect(await rpc.call("compact")).toMatchObject({ success: true });
      expect(names(chat, -1)).not.toContain("structured_output");
    }
    await using rpc = await startRpc([...CHAT, "--replay", recording], chat.place);
    expect(await result(rpc, { outputSchema: schema })).toMatchObject({ output: { line: 1 } });
    const other = { ...schema, required: ["note"] };
    expect(await result(rpc, { outputSchema: other })).toMatchObject({ status: "error", endedBy: "error" });
    expect(chat.server.requests).toHaveLength(2);
  });

  test("is missing if the message was handled without the model", async () => {
    using place = machine();
    await using rpc = await startRpc(["--model", "pintle/offline"], place);
    expect(await result(rpc, { message: "/mcp list", outputSchema: schema })).toMatchObject({
      agentInvoked: false,
      status: "error",
      error: { message: "The message was handled without the model, so there is no output" },
      sessionId: expect.any(String),
    });
  });
});

test("prompts that joined one run share a result; continue_run has its own", async () => {
  const held = heldAnswer();
  const cut = heldAnswer();
  await using chat = await chatPlace(held.respond, says("both"), cut.respond, says("rest"));
  await using rpc = await startRpc(CHAT, chat.place);
  rpc.send({ id: "one", type: "prompt", message: "a" });
  await held.asked;
  rpc.send({ id: "two", type: "prompt", message: "b", streamingBehavior: "followUp" });
  await rpc.until(({ type, id }) => type === "response" && id === "two");
  held.write("first");
  held.finish();
  const ended = () => rpc.until(({ type }) => type === "prompt_result");
  const [one, two] = [await ended(), await ended()].sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(one).toMatchObject({ text: "both", turns: 2 });
  expect<object>({ ...two, id: "one" }).toEqual({ ...one });
  await rpc.call("prompt", { message: "c" });
  await cut.asked;
  rpc.send({ id: "stop", type: "abort" });
  expect(await ended()).toMatchObject({ endedBy: "abort" });
  await rpc.call("continue_run");
  expect(await ended()).toMatchObject({ text: "rest", turns: 1 });
});
