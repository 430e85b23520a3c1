import { describe, expect, test } from "bun:test";
import { grammarViolations } from "@pintle/agent/testing";
import {
  CHAT,
  type ChatPlace,
  callsTools,
  chatPlace,
  type HeldAnswer,
  heldAnswer,
  says,
} from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

// Tests commands while a run is active. rpc-rows.test.ts tests them without a run.

interface Active extends AsyncDisposable {
  rpc: RpcChild;
  chat: ChatPlace;
  held: HeldAnswer;
  /** The file of a session with a prompt "earlier" and its answer; the run continues in a copy of it. */
  otherFile: string;
}

/** A session with a history in which a run has produced "so far" and continues. */
async function activeRun(): Promise<Active> {
  const held = heldAnswer();
  const chat = await chatPlace(says("earlier answer"), held.respond, says("later answer"));
  const rpc = await startRpc(CHAT, chat.place);
  await rpc.prompt("earlier");
  const { sessionFile: otherFile } = (await rpc.call("get_state")).data;
  await rpc.call("clone");
  await rpc.call("prompt", { message: "go" });
  await held.asked;
  held.write("so far");
  await rpc.until((frame) => frame.type === "message_update");
  return {
    rpc,
    chat,
    held,
    otherFile,
    async [Symbol.asyncDispose]() {
      await rpc[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
    },
  };
}

const types = (frames: readonly Frame[]) => frames.map(({ type, command }) => (type === "response" ? command : type));
const plain = ({ id, type, ...rest }: Frame) => rest;

const AT_ONCE: Record<string, object> = {
  steer: { message: "s" },
  follow_up: { message: "f" },
  clear_queue: {},
  set_session_name: { name: "named in a run" },
  get_state: {},
  get_messages: {},
  get_last_assistant_text: {},
  get_session_stats: {},
  get_branch_messages: {},
  get_fork_messages: {},
  get_entries: {},
  get_tree: {},
  set_model: { provider: "local", modelId: "thinker" },
  cycle_model: {},
  get_available_models: {},
  set_thinking_level: { level: "low" },
  cycle_thinking_level: {},
  get_available_thinking_levels: {},
  set_steering_mode: { mode: "all" },
  set_follow_up_mode: { mode: "all" },
  set_interrupt_mode: { mode: "immediate" },
  set_update_mode: { mode: "delta" },
  set_host_tools: { tools: [] },
  set_host_capabilities: {},
  get_pending: {},
  get_pending_actions: {},
  set_auto_retry: { enabled: true },
  abort_retry: {},
  bash: { command: "echo beside the run" },
  abort_bash: {},
  get_available_commands: {},
  get_commands: {},
};

describe("while a run is active", () => {
  test.each(Object.entries(AT_ONCE))("%s is answered immediately, and the run continues", async (command, params) => {
    await using active = await activeRun();
    const { rpc, held } = active;
    expect(await rpc.call(command, params)).toMatchObject({ command, success: true });
    expect((await rpc.call("get_state")).data).toMatchObject({ isStreaming: true });
    expect(types(rpc.frames).filter((type) => type === "agent_end")).toHaveLength(1); // the answer in the history
    held.write(" and more");
    held.finish();
    await rpc.until((frame) => frame.type === "agent_settled");
    const answers = (await rpc.call("get_messages")).data.messages.filter(({ role }: Frame) => role === "assistant");
    expect(answers[1].content).toEqual([{ type: "text", text: "so far and more" }]);
    expect(await rpc.end()).toBe(0);
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("reads return only finished messages, not the one that is streaming", async () => {
    await using active = await activeRun();
    const { rpc } = active;
    const roles = (await rpc.call("get_messages")).data.messages.map(({ role }: Frame) => role);
    expect(roles).toEqual(["user", "assistant", "user"]);
    expect((await rpc.call("get_state")).data.messageCount).toBe(3);
    expect((await rpc.call("get_last_assistant_text")).data).toEqual({ text: "earlier answer" });
    expect(plain(await rpc.call("get_messages_page"))).toEqual({
      command: "get_messages_page",
      success: false,
      error: expect.any(String),
      code: "session_busy",
    });
  });

  test("prompt fails once, or joins the run if requested", async () => {
    await using active = await activeRun();
    const { rpc, held } = active;
    expect(plain(await rpc.call("prompt", { message: "no" }))).toEqual({
      command: "prompt",
      success: false,
      error: "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion.",
      code: "busy",
    });
    expect(await rpc.call("prompt", { message: "steered", streamingBehavior: "steer" })).toMatchObject({
      success: true,
    });
    expect(await rpc.call("prompt", { message: "after", streamingBehavior: "followUp" })).toMatchObject({
      success: true,
    });
    expect((await rpc.call("get_state")).data).toMatchObject({ queuedMessageCount: 2, pendingMessageCount: 2 });
    held.finish();
    const { messages } = await rpc.until((frame) => frame.type === "agent_end");
    const said = messages.filter(({ role }: Frame) => role === "user").map(({ content }: Frame) => content[0].text);
    expect(said).toEqual(["go", "steered", "after"]);
    expect(grammarViolations(rpc.frames as never, { expectSettled: false })).toEqual([]);
  });

  const CHANGES: Record<string, (active: Active) => Promise<object>> = {
    new_session: async () => ({}),
    switch_session: async ({ otherFile }) => ({ sessionPath: otherFile }),
    branch: async ({ rpc }) => (await rpc.call("get_branch_messages")).data.messages[1],
    fork: async ({ rpc }) => (await rpc.call("get_branch_messages")).data.messages[0],
    clone: async () => ({}),
    abort: async () => ({}),
    abort_and_prompt: async () => ({ message: "instead" }),
  };

  test.each(Object.entries(CHANGES))(
    "%s ends the run visibly first, then acts, then responds",
    async (command, paramsOf) => {
      await using active = await activeRun();
      const { rpc, held } = active;
      const params = await paramsOf(active);
      const from = rpc.frames.length;
      expect(await rpc.call(command, params)).toMatchObject({ command, success: true });
      const seen = types(rpc.frames.slice(from)).filter((type) => type !== "message_update" && type !== "notice");
      expect(seen.slice(0, 4)).toEqual(["message_end", "turn_end", "agent_end", "agent_settled"]);
      expect(seen.at(-1)).toBe(command);
      expect(seen).not.toContain("agent_start");
      expect(rpc.frames.findLast((frame) => frame.type === "agent_end")).toMatchObject({ stopReason: "aborted" });
      expect(rpc.frames.findLast((frame) => frame.type === "message_end")?.message).toMatchObject({
        stopReason: "aborted",
        errorMessage: "Request was aborted",
        content: [{ type: "text", text: "so far" }],
      });
      await held.left;
      if (command === "abort_and_prompt") await rpc.until((frame) => frame.type === "agent_settled");
      else await rpc.prompt("afterwards");
      expect((await rpc.call("get_last_assistant_text")).data).toEqual({ text: "later answer" });
      expect(await rpc.end()).toBe(0);
      expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
    },
  );

  test.each(["/no/such.jsonl", "a\u0000path", "."])(
    "switch_session to %j fails, and the run continues",
    async (sessionPath) => {
      await using active = await activeRun();
      const { rpc, held } = active;
      const before = (await rpc.call("get_state")).data.sessionId;
      rpc.send({ id: "s", type: "switch_session", sessionPath });
      const answer = await rpc.until((frame) => frame.type === "response");
      expect(answer).toMatchObject({ id: "s", command: "switch_session", success: false });
      expect((await rpc.call("get_state")).data).toMatchObject({ sessionId: before, isStreaming: true });
      held.finish();
      const end = await rpc.until((frame) => frame.type === "agent_end");
      expect(end.stopReason).toBe("stop");
    },
  );
});

test("the output of bash is stored after the run's open calls, and reaches the next model call", async () => {
  await using chat = await chatPlace(callsTools({ name: "wait" }), says("done"));
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.call("set_host_tools", { tools: [{ name: "wait", description: "d", parameters: { type: "object" } }] });
  await rpc.call("prompt", { message: "x" });
  const { id } = await rpc.until((frame) => frame.type === "host_tool_call");
  expect((await rpc.call("bash", { command: "echo beside" })).data.output).toBe("beside\n");
  const roles = async () => (await rpc.call("get_messages")).data.messages.map(({ role }: Frame) => role);
  expect(await roles()).toEqual(["user", "assistant"]);
  rpc.send({ type: "host_tool_result", id, result: { content: [] } });
  await rpc.until((frame) => frame.type === "agent_settled");
  expect(await roles()).toEqual(["user", "assistant", "toolResult", "bashExecution", "assistant"]);
  expect(JSON.stringify(chat.server.requests[1]?.body.messages)).toContain("beside");
});
