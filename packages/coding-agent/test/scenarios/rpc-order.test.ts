import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { CHAT, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

// Tests the order that a host may rely on if it does not wait for responses.

/** Sends all of them before reading anything; returns their responses in the order of arrival. */
async function pipeline(rpc: RpcChild, ...frames: object[]): Promise<Frame[]> {
  const from = rpc.frames.length;
  const ids = frames.map((_, index) => `p${from}-${index}`);
  frames.forEach((frame, index) => {
    rpc.send({ id: ids[index], ...frame });
  });
  const open = new Set<unknown>(ids);
  await rpc.until((frame) => frame.type === "response" && open.delete(frame.id) && open.size === 0);
  return rpc.frames.slice(from).filter((frame) => ids.includes(frame.id));
}

const weather = { name: "weather", description: "d", parameters: { type: "object" } };
const result = (id: string) => ({
  type: "host_tool_result",
  id,
  result: { content: [{ type: "text", text: "sunny" }] },
});
const shape = (frames: readonly Frame[]) =>
  frames.map(({ type, command, success }) => (type === "response" ? `${command} ${success ? "ok" : "failed"}` : type));

describe("pipelined commands", () => {
  test("read the effects of earlier ones", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("hello");
    const [, model, , name, , , messages] = await pipeline(
      rpc,
      { type: "set_model", provider: "local", modelId: "thinker" },
      { type: "get_state" },
      { type: "set_session_name", name: "new name" },
      { type: "get_state" },
      { type: "get_messages" },
      { type: "new_session" },
      { type: "get_messages" },
    );
    expect(model?.data.model.id).toBe("thinker");
    expect(name?.data.sessionName).toBe("new name");
    expect(messages?.data).toEqual({ messages: [] });
  });

  test("that write are answered in order, including rejected ones", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    const frames = [
      { type: "switch_session", sessionPath: "/no/such.jsonl" },
      { type: "set_steering_mode", mode: "all" },
      { type: "set_thinking_level", level: "nonsense" },
      { type: "new_session" },
      { type: "steer", message: "s" },
      { type: "set_host_tools", tools: [weather] },
      { type: "clear_queue" },
      { type: "prompt", message: "p" },
      { type: "abort_and_prompt", message: "q" },
      { type: "clone" },
      { type: "set_session_name", name: "" },
      { type: "cycle_model" },
    ];
    const first = new Map<string, Frame>();
    for (const answer of await pipeline(rpc, ...frames)) if (!first.has(answer.id)) first.set(answer.id, answer);
    expect([...first.values()].map(({ command }) => command)).toEqual(frames.map(({ type }) => type));
  });

  test("prompt and abort: the prompt is accepted, then fails late, and nothing runs", async () => {
    await using chat = await chatPlace(says("never"));
    await using rpc = await startRpc(CHAT, chat.place);
    rpc.send({ id: "p", type: "prompt", message: "x" }, { id: "a", type: "abort" });
    await rpc.until((frame) => frame.id === "a");
    await rpc.call("get_state");
    const answers = rpc.frames.filter(({ id }) => id === "p");
    expect(answers).toEqual([
      { id: "p", type: "response", command: "prompt", success: true },
      { id: "p", type: "response", command: "prompt", success: false, error: "Request was aborted", code: "cancelled" },
    ]);
    expect(rpc.frames.map(({ type }) => type)).not.toContain("agent_start");
    expect(chat.server.requests).toEqual([]);
  });

  test("an abort does not affect prompts after it", async () => {
    await using chat = await chatPlace(says("yes"));
    await using rpc = await startRpc(CHAT, chat.place);
    rpc.send({ type: "abort" }, { type: "prompt", message: "x" });
    expect((await rpc.until((frame) => frame.type === "agent_end")).stopReason).toBe("stop");
  });
});

describe("bash", () => {
  test("no response waits for it, and a second one waits for the first", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    rpc.send(
      { id: "b1", type: "bash", command: "until [ -e go ]; do sleep 0.02; done; echo one" },
      { id: "b2", type: "bash", command: "echo two" },
    );
    await rpc.call("prompt", { message: "meanwhile" });
    await rpc.call("set_session_name", { name: "still here" });
    await rpc.call("get_messages");
    expect(rpc.frames.filter(({ id }) => id === "b1" || id === "b2")).toEqual([]);
    await Bun.write(`${chat.place.cwd}/go`, "");
    await rpc.until(({ id }) => id === "b2");
    const outputs = rpc.frames.filter(({ command }) => command === "bash").map(({ data }) => data.output);
    expect(outputs).toEqual(["one\n", "two\n"]);
  });

  test("abort_bash cancels the running and waiting commands; each is answered, and later ones run", async () => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, chat.place);
    const answers = await pipeline(
      rpc,
      { type: "bash", command: "sleep 60" },
      { type: "bash", command: "echo never > ran" },
      { type: "abort_bash" },
      { type: "bash", command: "echo after" },
    );
    const bashes = answers
      .filter(({ command }) => command === "bash")
      .map(({ success, data }) => ({ success, ...data }));
    expect(bashes).toMatchObject([
      { success: true, cancelled: true, output: "Command cancelled" },
      { success: true, cancelled: true, output: "Command cancelled" },
      { success: true, cancelled: false, output: "after\n", exitCode: 0 },
    ]);
    expect(bashes.slice(0, 2).some((data) => "exitCode" in data)).toBe(false);
    expect(await Bun.file(`${chat.place.cwd}/ran`).exists()).toBe(false);
  });

  test("abort does not affect it", async () => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, chat.place);
    rpc.send({ id: "b", type: "bash", command: "until [ -e go ]; do sleep 0.02; done" });
    expect(await rpc.call("abort")).toMatchObject({ success: true });
    await Bun.write(`${chat.place.cwd}/go`, "");
    expect((await rpc.until(({ id }) => id === "b")).data).toMatchObject({ cancelled: false, exitCode: 0 });
  });

  test.each([
    ["a NUL character", "echo a\u0000b"],
    ["arguments over the system's limit", `: ${"long ".repeat(100_000)}`],
  ])("with %s fails under its own id", async (_name, command) => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, chat.place);
    rpc.send({ id: "b", type: "bash", command });
    const answer = await rpc.until((frame) => frame.type === "response");
    expect(answer).toMatchObject({ id: "b", command: "bash", success: false });
  });

  test("in a deleted directory fails under its own id", async () => {
    await using chat = await chatPlace();
    const cwd = join(chat.place.root, "work");
    mkdirSync(cwd);
    await using rpc = await startRpc(CHAT, { ...chat.place, cwd });
    rmSync(cwd, { recursive: true });
    rpc.send({ id: "b", type: "bash", command: "pwd" });
    const answer = await rpc.until((frame) => frame.type === "response");
    expect(answer).toMatchObject({ id: "b", command: "bash", success: false });
    expect(answer.error).toStartWith("Working directory does not exist");
  });
});

test("the result of a host tool is accepted while commands are outstanding", async () => {
  await using chat = await chatPlace(callsTools({ name: "weather" }), says("sunny then"));
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.call("set_host_tools", { tools: [weather] });
  await rpc.call("prompt", { message: "x" });
  rpc.send({ id: "b", type: "bash", command: "until [ -e go ]; do sleep 0.02; done" });
  const { id } = await rpc.until((frame) => frame.type === "host_tool_call");
  rpc.send(result(id));
  await rpc.until((frame) => frame.type === "agent_settled");
  expect(rpc.frames.some((frame) => frame.id === "b")).toBe(false);
  await rpc.call("abort_bash");
});

describe("responses and events", () => {
  test("a prompt is accepted before its first event", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("x");
    const [, ...frames] = shape(rpc.frames).filter((name) => name !== "message_update");
    expect(frames).toEqual([
      "prompt ok",
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
  });

  test("abort_and_prompt: the end of the old run, the response, the start of the new run", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("new"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "old" });
    await held.asked;
    await rpc.call("abort_and_prompt", { message: "new" });
    await rpc.until((frame) => frame.type === "agent_settled");
    const marks = ["agent_start", "agent_end", "agent_settled", "prompt ok", "abort_and_prompt ok"];
    expect(shape(rpc.frames).filter((name) => marks.includes(name))).toEqual([
      "prompt ok",
      "agent_start",
      "agent_end",
      "agent_settled",
      "abort_and_prompt ok",
      "agent_start",
      "agent_end",
      "agent_settled",
    ]);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("a client that has read agent_end can prompt and is never busy", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    for (let round = 0; round < 30; round += 1) {
      expect(await rpc.call("prompt", { message: `prompt ${round}` })).toMatchObject({ success: true });
      await rpc.until((frame) => frame.type === "agent_end");
    }
    await rpc.until((frame) => frame.type === "agent_settled");
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("a steer or follow-up accepted during a run is delivered in it, however late it arrives", async () => {
    await using chat = await chatPlace(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const delta of [{ content: "one" }, { content: " two" }, {}]) {
        await Bun.sleep(Math.random() * 4);
        const finish_reason = "content" in delta ? null : "stop";
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
      }
      response.end("data: [DONE]\n\n");
    });
    await using rpc = await startRpc(CHAT, chat.place);
    let joined = 0;
    for (let round = 0; round < 40; round += 1) {
      const moment = ["message_update", "message_end", "turn_end"][round % 3];
      await rpc.call("prompt", { message: `prompt ${round}` });
      await rpc.until((frame) => frame.type === moment && frame.message.role === "assistant");
      const from = rpc.frames.length;
      await rpc.call(round % 2 ? "steer" : "follow_up", { message: `late ${round}` });
      const wasRunning = !rpc.frames.slice(from).some((frame) => frame.type === "agent_end");
      if (wasRunning) await rpc.until((frame) => frame.type === "agent_end");
      const end = rpc.frames.findLast((frame) => frame.type === "agent_end");
      const isInRun = JSON.stringify(end?.messages).includes(`"late ${round}"`);
      if (wasRunning) expect({ round, isInRun }).toEqual({ round, isInRun: true });
      if (isInRun) joined += 1;
      await rpc.call("clear_queue");
      await rpc.call("abort");
    }
    expect(joined).toBeGreaterThan(0);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("abort keeps the queues", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("next"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    await rpc.call("steer", { message: "kept" });
    await rpc.call("follow_up", { message: "kept too" });
    await rpc.call("abort");
    expect((await rpc.call("clear_queue")).data).toEqual({ steering: ["kept"], followUp: ["kept too"] });
    const update = await rpc.until(({ type }) => type === "queue_update");
    expect(update).toMatchObject({ type: "queue_update", steering: [], followUp: [] });
  });
});

test("a prompt queued for a run that is cancelled before it starts is reported as ended", async () => {
  await using chat = await chatPlace(says("hi"));
  await using rpc = await startRpc(CHAT, chat.place);
  rpc.send(
    { id: "first", type: "prompt", message: "x" },
    { id: "second", type: "prompt", message: "y", streamingBehavior: "steer" },
    { id: "new", type: "new_session" },
  );
  const ends = new Map<unknown, Frame>();
  await rpc.until((frame) => {
    if (frame.type === "prompt_result" || frame.success === false) ends.set(frame.id, frame);
    return ends.size === 2;
  });
  expect(ends.get("first")).toMatchObject({ command: "prompt", code: "cancelled" });
  expect(ends.get("second")).toMatchObject({ type: "prompt_result", agentInvoked: false, status: "aborted" });
  expect(rpc.frames.some(({ type }) => type === "agent_start")).toBe(false);
});
