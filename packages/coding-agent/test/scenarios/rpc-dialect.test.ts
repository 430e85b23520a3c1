import { describe, expect, test } from "bun:test";
import { grammarViolations } from "@pintle/agent/testing";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { startWithLostKey } from "../support/scenarios/lost-key.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Tests the dialect in a child process; modes/rpc/dialect.test.ts tests how single frames are rewritten.

const LOCKED = ["--provider", "openai"];

describe("--dialect pi", () => {
  test("a prompt is answered once, before its first event", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    await rpc.prompt("x");
    expect(rpc.frames.slice(0, 2).map(({ type }) => type)).toEqual(["response", "agent_start"]);
    expect(rpc.frames.filter(({ type }) => type === "response")).toHaveLength(1);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test.each(["prompt", "abort_and_prompt"])(
    "%s without credentials: the failure is the only response",
    async (command) => {
      await using chat = await chatPlace();
      await using rpc = await startWithLostKey(LOCKED, { ...chat.place, dialect: "pi" });
      const answer = await rpc.call(command, { message: "x" });
      expect(answer).toMatchObject({ command, success: false, code: "no_credentials" });
      expect(answer.error).toStartWith("No API key found for openai.");
      await rpc.call("get_state");
      expect(rpc.frames.filter(({ id }) => id === answer.id)).toHaveLength(1);
    },
  );

  test("prompt and abort in one write: one response, a failure, and no run", async () => {
    await using chat = await chatPlace(says("never"));
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    rpc.send({ id: "p", type: "prompt", message: "x" }, { id: "a", type: "abort" }, { id: "s", type: "get_state" });
    await rpc.until(({ id }) => id === "s");
    expect(rpc.frames.filter(({ id }) => id === "p")).toEqual([
      { id: "p", type: "response", command: "prompt", success: false, error: "Request was aborted", code: "cancelled" },
    ]);
    expect(rpc.frames.some(({ type }) => type === "agent_start")).toBe(false);
  });

  test("a prompt that joins a run is answered when it is queued", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("next"));
    await using rpc = await startRpc(CHAT, { ...chat.place, dialect: "pi" });
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    expect(await rpc.call("prompt", { message: "y", streamingBehavior: "followUp" })).toMatchObject({ success: true });
    expect(await rpc.call("prompt", { message: "z" })).toMatchObject({ success: false, code: "busy" });
    held.write("first");
    held.finish();
    const { messages } = await rpc.until(({ type }) => type === "agent_end");
    expect(messages.map(({ role }: Frame) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("pi clients do not receive unknown frames, and a notice goes to stderr", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc([], { ...chat.place, dialect: "pi" });
    await rpc.call("set_model", { provider: "local", modelId: "thinker" });
    await rpc.call("set_thinking_level", { level: "high" });
    expect((await rpc.call("get_last_assistant_text")).data).toEqual({});
    await rpc.prompt("x");
    expect((await rpc.call("get_last_assistant_text")).data).toEqual({ text: "hi" });
    const types = new Set(rpc.frames.map(({ type }) => type));
    expect(["ready", "notice", "model_changed"].filter((type) => types.has(type))).toEqual([]);
    expect(types.has("thinking_level_changed")).toBe(true);
    expect(await rpc.end()).toBe(0);
  });

  test("the environment can select it, and the flag takes precedence", async () => {
    using place = machine({ PINTLE_DIALECT: "pi" });
    await using rpc = await startRpc(["--dialect", "seed"], place); // waits for ready
    expect(rpc.frames[0]?.type).toBe("ready");
    await using other = await startRpc([], { ...place, dialect: "pi" });
    await other.call("get_state");
    expect(other.frames.map(({ type }) => type)).toEqual(["response"]);
  });
});
