import { describe, expect, test } from "bun:test";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

// Messages that the host sends before or while the model works reach it in time.

const sent = (body: unknown) => JSON.stringify(body);

describe("a message while a command runs", () => {
  const waiting = "echo begun; until [ -e go ]; do sleep 0.02; done; echo ended";
  const begun = ({ type, partialResult }: Frame) =>
    type === "tool_execution_update" && /begun/.test(sent(partialResult));

  for (const mode of ["immediate", "wait"] as const) {
    test(`with interrupt mode ${mode}, the only command finishes with its real result`, async () => {
      await using chat = await chatPlace(callsTools({ name: "bash", args: { command: waiting } }), says("ok"));
      await using rpc = await startRpc(CHAT, chat.place);
      await rpc.call("set_interrupt_mode", { mode });
      await rpc.call("prompt", { message: "x" });
      await rpc.until(begun);
      await rpc.call("steer", { message: "something else" });
      await Bun.write(`${chat.place.cwd}/go`, "");
      await rpc.until(({ type }) => type === "agent_settled");
      expect(rpc.frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
        isError: false,
        result: { content: [{ text: "begun\nended\n" }] },
      });
      expect(sent(chat.server.requests[1]?.body)).toContain("something else");
    });
  }

  test("with interrupt mode immediate, a waiting write is skipped", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: waiting } }, { name: "write", args: { path: "x", content: "" } }),
      says("ok"),
    );
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_interrupt_mode", { mode: "immediate" });
    await rpc.call("prompt", { message: "x" });
    await rpc.until(begun);
    await rpc.call("steer", { message: "something else" });
    await Bun.write(`${chat.place.cwd}/go`, "");
    await rpc.until(({ type }) => type === "agent_settled");
    const ends = rpc.frames.filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ isError, result }) => [isError, result.content[0].text])).toEqual([
      [false, "begun\nended\n"],
      [true, expect.stringMatching(/^Skipped due to queued user message\./)],
    ]);
    expect(rpc.frames.findLast(({ type }) => type === "agent_end")?.stopReason).toBe("stop");
  });

  test("abort stops the command", async () => {
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command: waiting } }));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "x" });
    await rpc.until(begun);
    rpc.send({ type: "abort" });
    await rpc.until(({ type }) => type === "agent_settled");
    expect(rpc.frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
      isError: true,
      result: { content: [{ text: "begun\n\nInterrupted by the user." }] },
    });
  });
});

describe("set_todos", () => {
  const phases = [{ name: "Build", tasks: [{ content: "lay the keel" }, { content: "raise the mast" }] }];
  const args = [...CHAT, "--set", "todo.reminders=false"];

  test("before the first prompt appears in the first model request, once", async () => {
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

  test("does not send a withdrawn list, or one that the model has changed since", async () => {
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
