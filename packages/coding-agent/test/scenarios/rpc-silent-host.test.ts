import { describe, expect, test } from "bun:test";
import { grammarViolations } from "@pintle/agent/testing";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

// A host that never answers.

const tool = (name: string, more: object = {}) => ({ name, description: "d", parameters: { type: "object" }, ...more });
const resultText = (frame: Frame | undefined) => frame?.result.content.map(({ text }: Frame) => text).join("");
const ends = (frames: Frame[]) => frames.filter(({ type }) => type === "tool_execution_end");

describe("a host that does not answer", () => {
  test("a tool call is cancelled at its deadline, the model receives the reason, and a late result is ignored", async () => {
    await using chat = await chatPlace(callsTools({ name: "slow" }, { name: "own" }), says("well then"));
    await using rpc = await startRpc([...CHAT, "--set", "host.toolTimeoutMs=1000"], chat.place);
    await rpc.call("set_host_tools", { tools: [tool("slow"), tool("own", { timeoutMs: 2_000 })] });
    await rpc.call("prompt", { message: "x" });
    const first = await rpc.until(({ type }) => type === "host_tool_call");
    const second = await rpc.until(({ type }) => type === "host_tool_call");
    const { pending } = (await rpc.call("get_pending")).data;
    expect(pending).toMatchObject([
      { kind: "host_tool", id: first.id, toolName: "slow", toolCallId: "call_1" },
      { kind: "host_tool", id: second.id, toolName: "own", toolCallId: "call_2" },
    ]);
    expect(pending.map(({ since, deadline }: Frame) => deadline - since)).toEqual([1_000, 2_000]);
    await rpc.until(({ type }) => type === "agent_settled");
    const cancels = rpc.frames.filter(({ type }) => type === "host_tool_cancel");
    expect(cancels.map(({ targetId }) => targetId)).toEqual([first.id, second.id]);
    expect(ends(rpc.frames).map((frame) => [frame.isError, resultText(frame)])).toEqual([
      [true, 'Host tool "slow" timed out after 1 seconds'],
      [true, 'Host tool "own" timed out after 2 seconds'],
    ]);
    rpc.send({ type: "host_tool_result", id: first.id, result: { content: [{ type: "text", text: "too late" }] } });
    expect((await rpc.call("get_messages")).data.messages).toHaveLength(5);
    expect(JSON.stringify(chat.server.requests[1]?.body)).toContain("timed out after 1 seconds");
    expect(await rpc.end()).toBe(0);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("a dialog is withdrawn at its deadline and the run continues", async () => {
    const question = { questions: [{ id: "q", question: "Which?", options: [{ label: "a" }, { label: "b" }] }] };
    await using chat = await chatPlace(callsTools({ name: "ask", args: question }), says("then I choose"));
    await using rpc = await startRpc([...CHAT, "--set", "host.dialogTimeoutMs=1000"], chat.place);
    await rpc.call("set_host_capabilities", { ui: true });
    await rpc.call("prompt", { message: "x" });
    const dialog = await rpc.until(({ type }) => type === "extension_ui_request");
    expect(dialog).toMatchObject({ method: "select" });
    expect((await rpc.call("get_pending")).data.pending).toMatchObject([
      { kind: "dialog", id: dialog.id, method: "select" },
    ]);
    expect(await rpc.until(({ method }) => method === "cancel")).toMatchObject({ targetId: dialog.id });
    rpc.send({ type: "extension_ui_response", id: dialog.id, value: "a" });
    await rpc.until(({ type }) => type === "agent_settled");
    expect((await rpc.call("get_last_assistant_text")).data.text).toBe("then I choose");
    expect((await rpc.call("get_pending")).data.pending).toEqual([]);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("a dialog is withdrawn immediately after an abort", async () => {
    const question = { questions: [{ id: "q", question: "Which?", options: [{ label: "a" }] }] };
    await using chat = await chatPlace(callsTools({ name: "ask", args: question }));
    await using rpc = await startRpc([...CHAT], chat.place);
    await rpc.call("set_host_capabilities", { ui: true });
    await rpc.call("prompt", { message: "x" });
    const dialog = await rpc.until(({ type }) => type === "extension_ui_request");
    expect(await rpc.call("abort")).toMatchObject({ success: true });
    expect(rpc.frames.find(({ method }) => method === "cancel")).toMatchObject({ targetId: dialog.id });
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });
});

describe("a host that answers incorrectly", () => {
  test.each([
    ["no content", {}, true, 'Host tool "t" returned an invalid result'],
    ["no result", undefined, true, 'Host tool "t" returned an invalid result'],
    ["an error without text", { content: [] }, true, "Host tool execution failed"],
  ])("a result with %s ends the call with an error", async (_name, result, isError, text) => {
    await using chat = await chatPlace(callsTools({ name: "t" }), says("ok"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_host_tools", { tools: [tool("t")] });
    await rpc.call("prompt", { message: "x" });
    const { id } = await rpc.until(({ type }) => type === "host_tool_call");
    rpc.send(
      { type: "host_tool_update", id, partialResult: 7 },
      { type: "host_tool_result", id: `${id}x`, result: { content: [] } },
      { type: "host_tool_result", id, result, isError },
      { type: "host_tool_result", id, result: { content: [{ type: "text", text: "twice" }] } },
    );
    await rpc.until(({ type }) => type === "agent_settled");
    expect(ends(rpc.frames).map((frame) => [frame.isError, resultText(frame)])).toEqual([[true, text]]);
    expect(rpc.frames.filter(({ type }) => type === "response")).toHaveLength(2);
    expect(rpc.frames.some(({ type }) => type === "tool_execution_update")).toBe(false);
  });

  test("the model, not the host, receives errors about unknown tools and invalid arguments", async () => {
    const strict = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const calls = [
      { name: "nowhere" },
      { name: "strict", args: { city: 7 } },
      { name: "strict", args: { city: "Ulm" } },
    ];
    await using chat = await chatPlace(callsTools(...calls), says("ok"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_host_tools", { tools: [tool("strict", { parameters: strict })] });
    await rpc.call("prompt", { message: "x" });
    const call = await rpc.until(({ type }) => type === "host_tool_call");
    expect(call).toMatchObject({ toolCallId: "call_3", arguments: { city: "Ulm" } });
    rpc.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "sunny" }] } });
    await rpc.until(({ type }) => type === "agent_settled");
    const byCall = new Map(ends(rpc.frames).map((frame) => [frame.toolCallId, frame]));
    expect(resultText(byCall.get("call_1"))).toStartWith("Tool nowhere not found");
    expect(["call_1", "call_2", "call_3"].map((id) => byCall.get(id)?.isError)).toEqual([true, true, false]);
    expect(rpc.frames.filter(({ type }) => type === "host_tool_call")).toHaveLength(1);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });
});

test("tools can be replaced during a run: the next model call has the new set, and a call in flight continues", async () => {
  await using chat = await chatPlace(callsTools({ name: "old" }), says("ok"));
  await using rpc = await startRpc([...CHAT, "--set", "cache.lateTools=append"], chat.place);
  await rpc.call("set_host_tools", { tools: [tool("old")] });
  await rpc.call("prompt", { message: "x" });
  const { id } = await rpc.until(({ type }) => type === "host_tool_call");
  expect(
    (await rpc.call("set_host_tools", { tools: [tool("NewOne"), tool("hidden", { hidden: true })] })).data,
  ).toEqual({
    toolNames: ["NewOne", "hidden"],
  });
  rpc.send({ type: "host_tool_result", id, result: { content: [{ type: "text", text: "still" }] } });
  await rpc.until(({ type }) => type === "agent_settled");
  expect(ends(rpc.frames).map((frame) => [frame.isError, resultText(frame)])).toEqual([[false, "still"]]);
  const offered = chat.server.requests.map(({ body }) => body.tools.map((one: Frame) => one.function.name));
  expect(offered.map((names) => names.filter((name: string) => ["old", "NewOne", "hidden"].includes(name)))).toEqual([
    ["old"],
    ["NewOne"],
  ]);
  await rpc.call("new_session");
  await rpc.prompt("and in the next session");
  expect(chat.server.requests.at(-1)?.body.tools.map((one: Frame) => one.function.name)).toContain("NewOne");
});
