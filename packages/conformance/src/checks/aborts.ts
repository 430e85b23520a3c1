import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { type Frame, textOf } from "../frame.ts";
import { calls, fails, hangs, says } from "../model-server.ts";
import type { Trial } from "../trial.ts";

const ends = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "agent_end").length;
const isEnd = ({ type }: Frame) => type === "agent_end";

/** Aborts a run in the state that the model was put into; the agent must be idle and usable afterwards. */
async function abortWhen(trial: Trial, reached: Promise<void>): Promise<Frame[]> {
  const agent = await trial.start();
  const from = agent.mark();
  await agent.call("prompt", { message: "go" });
  await reached;
  await agent.call("abort");
  await agent.until("agent_end", isEnd, from);
  same((await agent.call("get_state")).isStreaming, false, "isStreaming after the abort");
  trial.model.put(says("after all"));
  const { messages } = (await agent.run("again")).at(-1) ?? {};
  same(textOf(messages?.at(-1)), "after all", "the next answer");
  same(ends(agent.frames), 2, "number of agent_end frames");
  return agent.frames.slice(from);
}

export const abortChecks = group("aborts", "what-waits-for-what", [
  [
    "while idle",
    "`abort` without a run succeeds and emits no event.",
    async (trial) => {
      const agent = await trial.start();
      await agent.call("abort");
      await agent.call("get_state");
      same(ends(agent.frames), 0, "number of agent_end frames");
    },
  ],
  [
    "before the first byte",
    "A run that waits for the model ends immediately, with one `agent_end`; the request is cancelled.",
    async (trial) => {
      const { answer, reached, left } = hangs();
      trial.model.put(answer);
      await abortWhen(trial, reached);
      await left;
    },
  ],
  [
    "while the answer streams",
    'Streamed content is kept, with `stopReason: "aborted"`.',
    async (trial) => {
      const { answer, reached, left } = hangs("a part of it");
      trial.model.put(answer);
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "go" });
      await reached;
      await agent.until("the part", ({ assistantMessageEvent }) => assistantMessageEvent?.type === "text_delta", from);
      await agent.call("abort");
      await agent.until("agent_end", isEnd, from);
      await left;
      const message = agent.frames.findLast(({ type }) => type === "message_end")?.message;
      same([message?.stopReason, textOf(message)], ["aborted", "a part of it"], "the answer");
    },
  ],
  [
    "while a tool runs",
    "A running command is ended with the run, its call has an end, and its process is gone.",
    async (trial) => {
      const [begun, survived] = ["begun", "survived"].map((name) => join(trial.cwd, name)) as [string, string];
      const command = "touch begun; sleep 2; touch survived";
      trial.model.put(calls({ name: "bash", args: { command }, id: "call_long" }));
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "go" });
      await agent.until("tool_execution_start", ({ type }) => type === "tool_execution_start", from);
      while (!existsSync(begun)) await delay(10);
      await agent.call("abort");
      await agent.until("agent_end", isEnd, from);
      const frames = agent.frames.slice(from);
      same(frames.filter(({ type }) => type === "tool_execution_end").length, 1, "number of tool_execution_end frames");
      // The time in which the command would have continued.
      await delay(2500);
      require(!existsSync(survived), "the command continued after the abort");
    },
  ],
  [
    "while it waits to try again",
    "An abort during the wait before a retry ends the run.",
    async (trial) => {
      trial.model.put(fails(503, "busy"));
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "go" });
      await agent.until("auto_retry_start", ({ type }) => type === "auto_retry_start", from);
      await agent.call("abort");
      await agent.until("agent_end", isEnd, from);
      same((await agent.call("get_state")).isStreaming, false, "isStreaming");
      same(trial.model.requests.length, 1, "number of model calls");
    },
    "retry",
  ],
  [
    "answered after the end",
    "`abort` is answered after the `agent_end` of the run it ends.",
    async (trial) => {
      const { answer, reached } = hangs("a part");
      trial.model.put(answer);
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "go" });
      await reached;
      agent.send({ id: "stop", type: "abort" });
      await agent.until("the response to abort", ({ id }) => id === "stop", from);
      require(agent.frames.slice(from).some(isEnd), "the response came before agent_end");
    },
  ],
  [
    "abort and prompt in one write",
    "A `prompt` sent after an `abort` waits until that is done, and runs.",
    async (trial) => {
      const { answer, reached } = hangs("a part");
      trial.model.put(answer, says("second"));
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "first" });
      await reached;
      agent.write('{"id":"a","type":"abort"}\n{"id":"p","type":"prompt","message":"second"}\n');
      const { success } = await agent.until("the response to the prompt", ({ id }) => id === "p", from);
      same(success, true, "success of the prompt");
      await agent.holds("two ends", () => ends(agent.frames) === 2);
    },
  ],
  [
    "abort_and_prompt",
    "`abort_and_prompt` ends the run and starts another.",
    async (trial) => {
      const { answer, reached } = hangs("a part");
      trial.model.put(answer, says("instead"));
      const agent = await trial.start();
      await agent.call("prompt", { message: "first" });
      await reached;
      await agent.call("abort_and_prompt", { message: "second" });
      await agent.holds("two ends", () => ends(agent.frames) === 2);
      same(textOf(agent.frames.findLast(isEnd)?.messages.at(-1)), "instead", "the answer");
    },
    "abort_and_prompt",
  ],
]);
