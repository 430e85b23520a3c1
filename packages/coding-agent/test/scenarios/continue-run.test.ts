import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

/** The messages of a request to the model, as role and text. */
function asked(chat: ChatPlace, index: number): string[] {
  const { messages } = chat.server.requests.at(index)!.body as { messages: Frame[] };
  return messages
    .filter(({ role }) => role !== "system")
    .map(({ role, content, tool_calls }) => {
      const text = Array.isArray(content) ? content.map((block: Frame) => block.text).join("") : (content ?? "");
      return `${role}: ${text}${tool_calls ? "[calls]" : ""}`;
    });
}

const continueRun = async (rpc: RpcChild) => {
  rpc.send({ id: "go", type: "continue_run" });
  const answer = await rpc.until(({ id, type }) => type === "response" && id === "go");
  expect(answer).toEqual({ id: "go", type: "response", command: "continue_run", success: true });
  return rpc.until(({ type }) => type === "prompt_result");
};
const interrupted = async (rpc: RpcChild) => (await rpc.call("get_state")).data.interrupted;
const promptEntry = async (rpc: RpcChild) =>
  (await rpc.call("get_branch_messages")).data.messages.at(-1)?.entryId as string;
const users = async (rpc: RpcChild) =>
  (await rpc.call("get_messages")).data.messages.filter(({ role }: Frame) => role === "user");

describe("continue_run resumes without a new user message", () => {
  test("after an abort in the middle of an answer", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says(" and the rest"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "tell me" });
    await held.asked;
    held.write("The beginning");
    await rpc.until(({ assistantMessageEvent: event }) => event?.delta !== undefined);
    await rpc.call("abort");
    expect(await interrupted(rpc)).toEqual({
      cause: "aborted",
      prompt: "tell me",
      promptEntryId: await promptEntry(rpc),
      uncertain: [],
    });
    expect(await continueRun(rpc)).toMatchObject({ id: "go", agentInvoked: true, status: "completed" });
    expect(asked(chat, -1)).toEqual([
      "user: tell me",
      "assistant: The beginning",
      "user: The last answer was interrupted. Continue the task where it stopped.",
    ]);
    expect(await users(rpc)).toHaveLength(1);
    expect(await interrupted(rpc)).toBeUndefined();
    expect(await rpc.call("continue_run")).toMatchObject({ success: false, code: "nothing_to_continue" });
  });

  test("after an error of the provider, which the model does not see", async () => {
    await using chat = await chatPlace(sendStatus(400, '{"error":{"message":"no such luck"}}'), says("now"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("try");
    expect(await interrupted(rpc)).toMatchObject({ cause: "error", prompt: "try" });
    expect(await continueRun(rpc)).toMatchObject({ status: "completed" });
    expect(asked(chat, -1)).toEqual(["user: try"]);
  });

  test("after an abort during a host tool, and reports that its effects are uncertain", async () => {
    await using chat = await chatPlace(callsTools({ name: "deploy", id: "call_x" }), says("checked"));
    await using rpc = await startRpc(CHAT, chat.place);
    const tool = { name: "deploy", description: "Deploys.", parameters: { type: "object" } };
    await rpc.call("set_host_tools", { tools: [tool] });
    await rpc.call("prompt", { message: "work" });
    await rpc.until(({ type }) => type === "host_tool_call");
    await rpc.call("abort");
    expect(await interrupted(rpc)).toMatchObject({
      cause: "aborted",
      uncertain: [{ toolCallId: "call_x", toolName: "deploy" }],
    });
    await continueRun(rpc);
    expect(asked(chat, -1).at(-1)).toContain("The work was interrupted while tools ran (deploy)");
  });

  test("after the process was killed during a tool call and the session was reopened", async () => {
    const call = callsTools({ name: "bash", args: { command: "touch begun; sleep 600" }, id: "call_x" });
    await using chat = await chatPlace(call, says("checked"));
    const first = await startRpc(CHAT, chat.place);
    await first.call("prompt", { message: "work" });
    await first.until(({ type }) => type === "tool_execution_start");
    while (!existsSync(join(chat.place.cwd, "begun"))) await Bun.sleep(5);
    const { sessionFile } = (await first.call("get_state")).data;
    await first.kill("SIGKILL");
    await using rpc = await startRpc([...CHAT, "--session", sessionFile], chat.place);
    expect(await rpc.until(({ type }) => type === "notice")).toEqual({
      type: "notice",
      level: "warning",
      message:
        'The last run was interrupted: its process ended. It was at work on: "work". What these calls did is uncertain: bash (call_x).',
      source: "session",
    });
    expect(await interrupted(rpc)).toEqual({
      cause: "lost",
      prompt: "work",
      promptEntryId: await promptEntry(rpc),
      uncertain: [{ toolCallId: "call_x", toolName: "bash" }],
    });
    await continueRun(rpc);
    const [prompt, answer, result, note] = asked(chat, -1);
    expect([prompt, answer]).toEqual(["user: work", "assistant: [calls]"]);
    expect(result).toStartWith("tool: The tool run was interrupted");
    expect(note).toContain("Check what they did");
    expect(await users(rpc)).toHaveLength(1);
  });

  test("after the process was killed before the model answered, also with switch_session", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond, says("late"));
    const first = await startRpc(CHAT, chat.place);
    await first.call("prompt", { message: "x" });
    await held.asked;
    const { sessionFile } = (await first.call("get_state")).data;
    await first.kill("SIGKILL");
    await using rpc = await startRpc(CHAT, chat.place);
    expect(await interrupted(rpc)).toBeUndefined();
    await rpc.call("switch_session", { sessionPath: sessionFile });
    expect((await rpc.until(({ type }) => type === "notice")).message).toContain('It was at work on: "x".');
    await continueRun(rpc);
    expect(asked(chat, -1)).toEqual(["user: x"]);
    expect((await rpc.call("get_last_assistant_text")).data).toEqual({ text: "late" });
  });

  test("with the queued messages", async () => {
    await using chat = await chatPlace(says("one"), says("two"));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("first");
    await rpc.call("follow_up", { message: "second" });
    await continueRun(rpc);
    expect(asked(chat, -1)).toEqual(["user: first", "assistant: one", "user: second"]);
  });
});

test("rejects continue_run while a run is active, without affecting the run", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  await using rpc = await startRpc(CHAT, chat.place);
  expect(await rpc.call("continue_run")).toMatchObject({ success: false, code: "nothing_to_continue" });
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  expect(await rpc.call("continue_run")).toMatchObject({ success: false, code: "busy" });
  held.write("done");
  held.finish();
  await rpc.until(({ type }) => type === "session_settled");
  expect(chat.server.requests).toHaveLength(1);
});

test("resumes after the aborted run when an abort and a continue_run arrive in one write", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond, says("again"));
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.call("prompt", { message: "x" });
  await held.asked;
  rpc.send({ id: "a", type: "abort" }, { id: "c", type: "continue_run" });
  expect(await rpc.until(({ id }) => id === "c")).toMatchObject({ success: true });
  await rpc.until(({ type }) => type === "session_settled");
  expect((await rpc.call("get_last_assistant_text")).data).toEqual({ text: "again" });
});
