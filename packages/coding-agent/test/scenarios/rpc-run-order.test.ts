import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { grammarViolations } from "@pintle/agent/testing";
import { sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

// Tests what a prompt waits for when it is sent in one write with earlier commands.

const isSettled = ({ type }: Frame) => type === "agent_settled";
const isResponseTo = (id: string) => (frame: Frame) => frame.type === "response" && frame.id === id;
const textOf = ({ server }: ChatPlace, request: number) => JSON.stringify(server.requests[request]?.body);
const order = (frames: readonly Frame[], ...ids: string[]) =>
  frames.flatMap(({ type, id }) => {
    if (type === "response") return ids.includes(id) ? [id] : [];
    return ["agent_start", "agent_end", "agent_settled"].includes(type) ? [type] : [];
  });

describe("a prompt after an abort, in one write", () => {
  test.each([{}, { streamingBehavior: "steer" }])("starts a run when the old one has ended %p", async (options) => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("new"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "old" });
    await held.asked;
    rpc.send({ id: "a", type: "abort" }, { id: "p", type: "prompt", message: "new", ...options });
    await rpc.until(isResponseTo("p"));
    await rpc.until(isSettled);
    const run = ["agent_start", "agent_end", "agent_settled"];
    expect(order(rpc.frames, "a", "p")).toEqual([...run, "a", "p", ...run]);
    expect(rpc.frames.filter(isResponseTo("p"))).toMatchObject([{ success: true }]);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("waits for the tool that the abort waits for, while other commands are answered", async () => {
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command: "sleep 60" } }), says("new"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "old" });
    await rpc.until(({ type }) => type === "tool_execution_start");
    rpc.send({ id: "s", type: "get_state" }, { id: "a", type: "abort" }, { id: "p", type: "prompt", message: "new" });
    await rpc.until(isResponseTo("p"));
    await rpc.until(isSettled);
    expect(chat.server.requests).toHaveLength(2);
    expect(order(rpc.frames, "a", "p").slice(3, 5)).toEqual(["a", "p"]);
  });

  test("during a retry: abort_retry is answered immediately, and the prompt runs after the run has ended", async () => {
    await using chat = await chatPlace(sendStatus(503, "busy"), says("new"));
    await using rpc = await startRpc([...CHAT, "--set", "retry.baseDelayMs=60000"], chat.place);
    await rpc.call("prompt", { message: "old" });
    await rpc.until(({ type }) => type === "auto_retry_start");
    rpc.send({ id: "a", type: "abort_retry" }, { id: "p", type: "prompt", message: "new" });
    await rpc.until(isResponseTo("p"));
    await rpc.until(({ type }) => type === "agent_start");
    await rpc.until(isSettled);
    const run = ["agent_start", "agent_end", "agent_settled"];
    const marks = order(rpc.frames, "a", "p");
    expect(marks.slice(0, 3)).toEqual(["agent_start", "a", "agent_end"]);
    expect(marks.slice(-3)).toEqual(run);
    expect(rpc.frames.filter(isResponseTo("p"))).toMatchObject([{ success: true }]);
    expect(chat.server.requests).toHaveLength(2);
  });

  test("after a retry without a waiting caller: the prompt is rejected as usual", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "old" });
    await held.asked;
    rpc.send({ type: "abort_retry" }, { id: "p", type: "prompt", message: "new" });
    expect(await rpc.until(isResponseTo("p"))).toMatchObject({ success: false, code: "busy" });
  });
});

describe("a prompt after a bash command, in one write", () => {
  const slow = { id: "b", type: "bash", command: "until [ -e go ]; do sleep 0.02; done; echo the-output" };

  test.each(["seed", "pi"] as const)(
    "(%s) is accepted immediately, and the model receives the output",
    async (dialect) => {
      await using chat = await chatPlace(says("seen"));
      await using rpc = await startRpc(CHAT, { ...chat.place, dialect });
      rpc.send(slow, { id: "p", type: "prompt", message: "what was that" });
      expect(await rpc.until(isResponseTo("p"))).toMatchObject({ success: true });
      await rpc.until(({ type }) => type === "agent_start");
      expect(await rpc.call("get_state")).toMatchObject({ data: { isStreaming: true, messageCount: 0 } });
      expect(chat.server.requests).toEqual([]);
      await Bun.write(`${chat.place.cwd}/go`, "");
      await rpc.until(isSettled);
      expect(chat.server.requests).toHaveLength(1);
      const sent = textOf(chat, 0);
      expect(sent).toContain("the-output");
      expect(sent.indexOf("the-output")).toBeLessThan(sent.indexOf("what was that"));
      expect(rpc.frames.some(isResponseTo("b"))).toBe(true);
    },
  );

  test("an abort ends the wait and the run, and does not affect the command", async () => {
    await using chat = await chatPlace(says("never"));
    await using rpc = await startRpc(CHAT, chat.place);
    rpc.send(slow, { id: "p", type: "prompt", message: "x" });
    await rpc.until(({ type }) => type === "agent_start");
    await rpc.call("abort");
    expect(rpc.frames.find(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "aborted" });
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
    expect(rpc.frames.some(isResponseTo("b"))).toBe(false);
    expect(chat.server.requests).toEqual([]);
    await Bun.write(`${chat.place.cwd}/go`, "");
    expect((await rpc.until(isResponseTo("b"))).data).toMatchObject({ output: "the-output\n", exitCode: 0 });
  });

  test("a command excluded from the context runs, is marked and stored, and is never sent", async () => {
    await using chat = await chatPlace(says("seen"));
    await using rpc = await startRpc(CHAT, chat.place);
    rpc.send(
      { id: "b", type: "bash", command: "echo private-word", excludeFromContext: true },
      { id: "p", type: "prompt", message: "x" },
    );
    await rpc.until(isSettled);
    expect(textOf(chat, 0)).not.toContain("private-word");
    const [first] = (await rpc.call("get_messages")).data.messages;
    expect(first).toMatchObject({ role: "bashExecution", output: "private-word\n", excludeFromContext: true });
    const { sessionFile } = (await rpc.call("get_state")).data;
    expect(readFileSync(sessionFile, "utf8")).toContain("private-word");
    await rpc.end();
    await using resumed = await startRpc([...CHAT, "--session", sessionFile], chat.place);
    await resumed.prompt("y");
    expect(textOf(chat, 1)).not.toContain("private-word");
  });
});

test("a command that does not end delays a prompt for a limited time, then the prompt continues with a notice", async () => {
  await using chat = await chatPlace(says("answered"));
  await using rpc = await startRpc([...CHAT, "--set", "bash.promptWaitMs=100"], chat.place);
  rpc.send({ id: "b", type: "bash", command: "sleep 600" });
  await rpc.prompt("meanwhile");
  expect(rpc.frames.find(({ type }) => type === "notice")).toMatchObject({
    message: "A command is still running after 0.1 s; the prompt continues without its output",
  });
  expect(rpc.frames.findLast(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "stop" });
});

test("a queued or aborted prompt waits for no command and causes no notice", async () => {
  await using chat = await chatPlace(
    callsTools({ name: "bash", args: { command: "until [ -e go ]; do sleep 0.02; done" } }),
    says("done"),
  );
  await using rpc = await startRpc([...CHAT, "--set", "bash.promptWaitMs=300"], chat.place);
  await rpc.call("prompt", { message: "work" });
  await rpc.until(({ type }) => type === "tool_execution_start");
  rpc.send({ id: "b", type: "bash", command: "sleep 600" });
  await rpc.call("prompt", { message: "queued", streamingBehavior: "followUp" });
  await rpc.call("abort");
  rpc.send({ id: "p", type: "prompt", message: "aborted" }, { id: "a", type: "abort" });
  await rpc.until(({ id }) => id === "a");
  // Longer than the limit, by the program's own clock.
  await rpc.call("abort_bash");
  await rpc.call("bash", { command: "sleep 0.5" });
  expect(rpc.frames.filter(({ type }) => type === "notice")).toEqual([]);
});

test("the result of a bash during a tool call is stored before its response, and follows the tool's result", async () => {
  await using chat = await chatPlace(
    callsTools({ name: "bash", args: { command: "until [ -e go ]; do sleep 0.02; done" } }),
    says("done"),
    says("again"),
  );
  await using rpc = await startRpc(CHAT, chat.place);
  const { sessionFile } = rpc.frames[0] as Frame;
  await rpc.call("prompt", { message: "x" });
  await rpc.until(({ type }) => type === "tool_execution_start");
  await rpc.call("bash", { command: "echo from-the-user" });
  expect(readFileSync(sessionFile, "utf8")).toContain("from-the-user");
  await Bun.write(`${chat.place.cwd}/go`, "");
  await rpc.until(isSettled);
  const roles = (messages: Frame[]) => messages.map(({ role }) => role);
  const live = (await rpc.call("get_messages")).data.messages;
  expect(roles(live)).toEqual(["user", "assistant", "toolResult", "bashExecution", "assistant"]);
  await rpc.end();
  await using resumed = await startRpc([...CHAT, "--session", sessionFile], chat.place);
  expect((await resumed.call("get_messages")).data.messages).toEqual(live);
});
