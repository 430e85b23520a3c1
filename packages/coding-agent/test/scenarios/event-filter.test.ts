import { describe, expect, test } from "bun:test";
import { CHAT, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

const typesOf = (frames: readonly Frame[]) => frames.map(({ type }) => type);

describe("set_event_filter", () => {
  test("sends only the named events, and all of them again without a filter", async () => {
    await using chat = await chatPlace(callsTools({ name: "ls" }), says("one"), says("two"));
    await using rpc = await startRpc(CHAT, chat.place);
    const answer = await rpc.call("set_event_filter", { events: ["message_end", "agent_end"] });
    expect(answer.data).toEqual({ events: ["message_end", "agent_end"] });
    const before = rpc.frames.length;
    await rpc.call("prompt", { message: "x" });
    await rpc.until(({ type }) => type === "session_settled");
    expect(typesOf(rpc.frames.slice(before))).toEqual([
      "response",
      ...Array(4).fill("message_end"),
      "agent_end",
      "prompt_result",
      "session_settled",
    ]);
    expect((await rpc.call("set_event_filter", { events: null })).data).toEqual({ events: null });
    const again = rpc.frames.length;
    await rpc.prompt("y");
    expect(typesOf(rpc.frames.slice(again))).toContain("message_update");
  });

  test("keeps the id of a message when it changes in the middle of an answer", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    held.write("one ");
    const seen = await rpc.until(({ assistantMessageEvent: event }) => event?.delta !== undefined);
    await rpc.call("set_event_filter", { events: ["agent_end"] });
    held.write("two ");
    await rpc.call("set_event_filter");
    held.finish();
    const end = await rpc.until(({ type, message }) => type === "message_end" && message.role === "assistant");
    expect(end.messageId).toBe(seen.messageId);
    expect(end.message.content).toEqual([{ type: "text", text: "one two " }]);
  });

  test("the output of a command is sent to clients that request it, with the command's id", async () => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("bash", { command: "echo unheard" });
    await rpc.call("set_event_filter", { events: ["*", "bash_execution_update"] });
    rpc.send({ id: "b", type: "bash", command: "echo heard" });
    await rpc.until(({ id }) => id === "b");
    const told = rpc.frames.filter(({ type }) => type === "bash_execution_update");
    expect(told).toEqual([{ type: "bash_execution_update", commandId: "b", delta: "heard\n" }]);
  });

  test("a progress bar is sent as lines that overwrite each other, and the response has its last state", async () => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_event_filter", { events: ["*", "bash_execution_update"] });
    const command = "for i in 1 2 3; do printf '\\r\\033[K%d of 3' $i; done; echo";
    const { data } = await rpc.call("bash", { command });
    expect(data).toMatchObject({ output: "3 of 3\n", truncated: false, totalLines: 1 });
    const told = rpc.frames.filter(({ type }) => type === "bash_execution_update");
    expect(told.map(({ delta }) => delta).join("")).toBe("\r1 of 3\r2 of 3\r3 of 3\n");
  });

  test("each stored entry precedes everything that refers to it, including the response to its command", async () => {
    await using chat = await chatPlace(callsTools({ name: "ls" }), says("one"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_event_filter", { events: ["entry_appended", "message_end", "session_info_changed"] });
    const before = rpc.frames.length;
    await rpc.call("prompt", { message: "x" });
    await rpc.until(({ type }) => type === "session_settled");
    await rpc.call("set_session_name", { name: "n" });
    await rpc.until(({ type }) => type === "session_info_changed");
    const told = rpc.frames.slice(before).flatMap(({ type, command, entry, message }) => {
      if (type === "response") return [`response ${command}`];
      if (entry) return [`entry ${entry.message?.role ?? entry.type}`];
      return type === "message_end" ? [`end ${message.role}`] : type === "session_info_changed" ? [type] : [];
    });
    const roles = ["user", "assistant", "toolResult", "assistant"];
    expect(told).toEqual([
      "response prompt",
      ...roles.flatMap((role) => [`entry ${role}`, `end ${role}`]),
      "entry session_info",
      "response set_session_name",
      "session_info_changed",
    ]);
    const { entries } = (await rpc.call("get_entries")).data;
    const mirrored = rpc.frames.flatMap(({ entry }) => entry ?? []);
    expect(mirrored).toEqual(entries.slice(-mirrored.length));
  });

  test("questions and their answers cannot be filtered", async () => {
    const tool = { name: "T", description: "d", parameters: { type: "object" } };
    await using chat = await chatPlace(callsTools({ name: "T" }), says("done"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_host_tools", { tools: [tool] });
    await rpc.call("set_event_filter", { events: [] });
    rpc.send({ id: "p", type: "prompt", message: "x" });
    const call = await rpc.until(({ type }) => type === "host_tool_call");
    rpc.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "r" }] } });
    expect(await rpc.until(({ type }) => type === "prompt_result")).toMatchObject({ id: "p", status: "completed" });
  });
});

describe("--dialect omp", () => {
  test("returns the state in the form that its client reads", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "omp" });
    expect((await rpc.call("get_state")).data).toMatchObject({
      systemPrompt: [expect.any(String)],
      dumpTools: expect.any(Array),
      isSettled: true,
      fastModeEnabled: false,
      fastModeActive: false,
      tokensPerSecond: null,
      hasPendingAsyncWork: false,
    });
    await rpc.call("prompt", { message: "x" });
    await rpc.until(({ type }) => type === "session_settled");
    expect(typesOf(rpc.frames).slice(-3)).toEqual(["agent_settled", "prompt_result", "session_settled"]);
  });
});

test("the session is settled when nothing is left to do, and the state agrees", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  await using rpc = await startRpc(CHAT, chat.place);
  expect((await rpc.call("get_state")).data.isSettled).toBe(true);
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  expect((await rpc.call("get_state")).data).toMatchObject({ isStreaming: true, isSettled: false });
  held.write("hi");
  held.finish();
  await rpc.until(({ type }) => type === "session_settled");
  expect((await rpc.call("get_state")).data.isSettled).toBe(true);
  expect(typesOf(rpc.frames).filter((type) => type === "session_settled")).toHaveLength(1);
});
