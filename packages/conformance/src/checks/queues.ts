import { group } from "../check.ts";
import { same } from "../failure.ts";
import { type Frame, textOf } from "../frame.ts";
import { calls, hangs, says } from "../model-server.ts";

const userTexts = (frames: readonly Frame[]) =>
  frames
    .filter(({ type, message }) => type === "message_end" && message?.role === "user")
    .map(({ message }) => textOf(message));
/** The field has two names in the family. */
const queued = (state: Frame) => state.pendingMessageCount ?? state.queuedMessageCount;
const runs = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "agent_end").length;

export const queueChecks = group("queues", "what-waits-for-what", [
  [
    "steer",
    "A `steer` accepted during a run is delivered in that run.",
    async (trial) => {
      const { answer, reached, release } = hangs("working");
      trial.model.put(answer, says("steered"));
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "first" });
      await reached;
      await agent.call("steer", { message: "now this" });
      release();
      await agent.until("agent_end", ({ type }) => type === "agent_end", from);
      same([userTexts(agent.frames), runs(agent.frames)], [["first", "now this"], 1], "user messages and runs");
    },
  ],
  [
    "follow_up",
    "A `follow_up` accepted during a run is delivered in that run, when it would otherwise end.",
    async (trial) => {
      const { answer, reached, release } = hangs("working");
      trial.model.put(answer, says("followed"));
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "first" });
      await reached;
      await agent.call("follow_up", { message: "later that" });
      release();
      await agent.until("agent_end", ({ type }) => type === "agent_end", from);
      same([userTexts(agent.frames), runs(agent.frames)], [["first", "later that"], 1], "user messages and runs");
    },
  ],
  [
    "prompt with streamingBehavior",
    "`prompt` with `streamingBehavior` during a run queues the message.",
    async (trial) => {
      const { answer, reached, release } = hangs("working");
      trial.model.put(answer, says("second"));
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "first" });
      await reached;
      await agent.call("prompt", { message: "second", streamingBehavior: "followUp" });
      release();
      await agent.until("agent_end", ({ type }) => type === "agent_end", from);
      same(userTexts(agent.frames), ["first", "second"], "user messages");
    },
  ],
  [
    "counted",
    "Queued messages are counted in `get_state` until they are delivered.",
    async (trial) => {
      const { answer, reached, release } = hangs("working");
      trial.model.put(answer, says("a"), says("b"));
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "first" });
      await reached;
      await agent.call("follow_up", { message: "one" });
      await agent.call("follow_up", { message: "two" });
      same(queued(await agent.call("get_state")), 2, "number of queued messages");
      release();
      await agent.until("agent_end", ({ type }) => type === "agent_end", from);
      same(queued(await agent.call("get_state")), 0, "number afterwards");
    },
  ],
  [
    "a running call finishes",
    "A `steer` lets a running tool call finish with its real result, even with `interruptMode` `immediate`.",
    async (trial) => {
      const command = { name: "bash", args: { command: "echo begun; sleep 0.8; echo ended" }, id: "call_long" };
      trial.model.put(calls(command), says("steered"));
      const agent = await trial.start();
      // Not every agent has the mode; the rule for a running call is the same without it.
      await agent.call("set_interrupt_mode", { mode: "immediate" }).catch(() => {});
      const from = agent.mark();
      await agent.call("prompt", { message: "first" });
      await agent.until("tool_execution_start", ({ type }) => type === "tool_execution_start", from);
      await agent.call("steer", { message: "now this" });
      await agent.until("agent_end", ({ type }) => type === "agent_end", from);
      const end = agent.frames.find(({ type }) => type === "tool_execution_end");
      const text = textOf(end?.result);
      same(
        [end?.isError, /begun[\s\S]*ended/.test(text)],
        [false, true],
        `error and whole output of the call (${text})`,
      );
      same(userTexts(agent.frames), ["first", "now this"], "user messages");
    },
  ],
  [
    "clear_queue",
    "`clear_queue` returns the messages, and none of them is delivered.",
    async (trial) => {
      const { answer, reached, release } = hangs("working");
      trial.model.put(answer);
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "first" });
      await reached;
      await agent.call("steer", { message: "s" });
      await agent.call("follow_up", { message: "f" });
      const { steering, followUp } = await agent.call("clear_queue");
      same([steering, followUp], [["s"], ["f"]], "what was queued");
      release();
      await agent.until("agent_end", ({ type }) => type === "agent_end", from);
      same(userTexts(agent.frames), ["first"], "user messages");
    },
    "clear_queue",
  ],
]);
