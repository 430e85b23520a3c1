import { describe, expect, test } from "bun:test";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

// What the host says while, or before, the model works reaches it in time.

const sent = (body: unknown) => JSON.stringify(body);

describe("interrupt mode immediate", () => {
  test("stops a command that runs, keeps what it has printed, and the message is heard next", async () => {
    const command = "echo half; touch started; sleep 600; echo never";
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command } }, { name: "bash", args: { command: "echo second" } }),
      says("ok"),
    );
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_interrupt_mode", { mode: "immediate" });
    await rpc.call("prompt", { message: "x" });
    await rpc.until(({ type, partialResult }) => type === "tool_execution_update" && /half/.test(sent(partialResult)));
    await rpc.call("steer", { message: "something else" });
    await rpc.until(({ type }) => type === "agent_settled");
    const ends = rpc.frames.filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ isError, result }) => [isError, result.content[0].text])).toEqual([
      [true, "half\n\nCommand stopped because of a queued user message"],
      [true, expect.stringMatching(/^Skipped due to queued user message\./)],
    ]);
    expect(sent(chat.server.requests[1]?.body)).toContain("something else");
    expect(rpc.frames.findLast(({ type }) => type === "agent_end")?.stopReason).toBe("stop");
  });

  test("in mode wait the command runs to its end", async () => {
    const command = "touch started; until [ -e go ]; do sleep 0.02; done; echo whole";
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command } }), says("ok"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "x" });
    await rpc.until(({ type }) => type === "tool_execution_start");
    await rpc.call("steer", { message: "something else" });
    await Bun.write(`${chat.place.cwd}/go`, "");
    await rpc.until(({ type }) => type === "agent_settled");
    expect(rpc.frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
      isError: false,
      result: { content: [{ text: "whole\n" }] },
    });
  });
});

describe("set_todos", () => {
  const phases = [{ name: "Build", tasks: [{ content: "lay the keel" }, { content: "raise the mast" }] }];
  const args = [...CHAT, "--set", "todo.reminders=false"];

  test("before the first prompt is in the first model request, once", async () => {
    await using chat = await chatPlace(says("one"), says("two"));
    await using rpc = await startRpc(args, chat.place);
    rpc.send({ type: "set_todos", phases }, { type: "prompt", message: "begin" });
    await rpc.until(({ type }) => type === "agent_settled");
    const first = sent(chat.server.requests[0]?.body.messages);
    expect(first).toContain("task-1 [pending] lay the keel");
    expect(first.indexOf("raise the mast")).toBeLessThan(first.indexOf("begin"));
    await rpc.prompt("go on");
    expect(sent(chat.server.requests[1]?.body.messages).match(/lay the keel/g)).toHaveLength(1);
  });

  test("a list that was taken back is not told, nor one that the model has changed since", async () => {
    const ops = [{ op: "update", id: "task-1", status: "completed" }];
    await using chat = await chatPlace(says("one"), callsTools({ name: "todo_write", args: { ops } }), says("three"));
    await using rpc = await startRpc(args, chat.place);
    await rpc.call("set_todos", { phases });
    await rpc.call("set_todos", { phases: [] });
    await rpc.prompt("begin");
    expect(sent(chat.server.requests[0]?.body.messages)).not.toContain("keel");
    await rpc.call("prompt", { message: "x" });
    await rpc.until(({ type }) => type === "agent_settled");
    await rpc.prompt("y");
    expect(sent(chat.server.requests.at(-1)?.body.messages)).not.toContain("set by the user");
  });
});
