import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

// Tests what a host receives about a change that it requested, and about one that is impossible.

const isResponseTo = (id: string) => (frame: Frame) => frame.type === "response" && frame.id === id;

describe("notifications follow the response to the command that caused them", () => {
  test.each<[string, object, string[]]>([
    ["new_session", {}, ["session_info_changed"]],
    ["clone", {}, ["session_info_changed"]],
    ["set_model", { provider: "local", modelId: "thinker" }, ["model_changed"]],
    ["cycle_model", {}, ["model_changed"]],
    ["set_session_name", { name: "n" }, ["session_info_changed"]],
    ["steer", { message: "/help me" }, ["queue_update"]],
    ["follow_up", { message: "plain" }, ["queue_update"]],
  ])("%s", async (type, params, notifications) => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("x");
    const from = rpc.frames.length;
    rpc.send({ id: "c", type, ...params }, { id: "end", type: "get_state" });
    await rpc.until(isResponseTo("end"));
    const heard = rpc.frames
      .slice(from)
      .filter((frame) => frame.type === "response" || notifications.includes(frame.type));
    expect(heard.map(({ type: kind, id }) => id ?? kind)).toEqual(["c", ...notifications, "end"]);
    expect(heard[0]).toMatchObject({ success: true });
  });

  test("the end of the run precedes the response, and the new session's events follow it", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    const from = rpc.frames.length;
    rpc.send({ id: "s", type: "steer", message: "later" }, { id: "n", type: "new_session" });
    await rpc.until(({ type }) => type === "session_info_changed");
    const kinds = ["agent_end", "agent_settled", "session_info_changed", "queue_update"];
    const heard = rpc.frames.slice(from).flatMap(({ type, id }) => {
      if (type === "response") return [id];
      return kinds.includes(type) ? [type] : [];
    });
    expect(heard.slice(0, 5)).toEqual(["s", "queue_update", "agent_end", "agent_settled", "n"]);
    expect(heard.slice(5).sort()).toEqual(["queue_update", "session_info_changed"]);
  });
});

describe("a command that fails is answered with its own name and id", () => {
  test.each<[string, object]>([
    ["export_html", { outputPath: "a\u0000b.html" }],
    ["export_html", { outputPath: "/proc/self/mem" }],
    ["switch_session", { sessionPath: "/proc/self/mem" }],
    ["switch_session", { sessionPath: "a\u0000b" }],
    ["switch_session", { sessionPath: "/dev/zero" }],
  ])("%s %j", async (type, params) => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("x");
    rpc.send({ id: "c", type, ...params });
    const answer = await rpc.until((frame) => frame.type === "response");
    expect(answer).toMatchObject({ id: "c", command: type, success: false, error: expect.any(String) });
    expect(answer.code).toBeString();
    expect(await rpc.end()).toBe(0);
    expect(await rpc.stderr()).toBe("");
  });
});

describe("a session that was announced and is still empty", () => {
  test("can be switched back to, with its changes", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    const { sessionFile, sessionId } = rpc.frames[0] as Frame;
    await rpc.call("set_todos", { phases: [{ name: "p", tasks: [{ content: "t" }] }] });
    await rpc.call("new_session");
    const other = (await rpc.call("get_state")).data;
    expect(other.sessionId).not.toBe(sessionId);
    expect(await rpc.call("switch_session", { sessionPath: sessionFile })).toMatchObject({ success: true });
    const state = (await rpc.call("get_state")).data;
    expect(state).toMatchObject({ sessionId, sessionFile, messageCount: 0 });
    expect(state.todoPhases).toMatchObject([{ name: "p", tasks: [{ content: "t" }] }]);
    expect(existsSync(sessionFile)).toBe(false);
    await rpc.prompt("x");
    expect(existsSync(sessionFile)).toBe(true);
    expect(await rpc.call("switch_session", { sessionPath: other.sessionFile })).toMatchObject({ success: true });
    expect(await rpc.call("switch_session", { sessionPath: sessionFile })).toMatchObject({ success: true });
    expect((await rpc.call("get_state")).data).toMatchObject({ sessionId, sessionFile });
    const { messages } = (await rpc.call("get_messages")).data;
    expect(messages.filter(({ role }: Frame) => role === "user")).toHaveLength(1);
  });

  test("cannot be found if its file was removed", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    const { sessionFile } = rpc.frames[0] as Frame;
    await rpc.prompt("x");
    await rpc.call("new_session");
    await Bun.file(sessionFile).delete();
    expect(await rpc.call("switch_session", { sessionPath: sessionFile })).toMatchObject({
      success: false,
      code: "not_found",
    });
  });
});
