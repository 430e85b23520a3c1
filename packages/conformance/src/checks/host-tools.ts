import type { AgentProcess } from "../agent-process.ts";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import type { Frame } from "../frame.ts";
import { calls, says } from "../model-server.ts";
import type { Trial } from "../trial.ts";

const WEATHER = {
  name: "weather",
  label: "Weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const CALL = { name: "weather", args: { city: "Ulm" }, id: "call_w" };
const text = (words: string) => ({ content: [{ type: "text", text: words }] });

/** A run that has called the host's tool and waits for it. */
async function called(trial: Trial): Promise<{ agent: AgentProcess; call: Frame; from: number }> {
  trial.model.put(calls(CALL), says("done"));
  const agent = await trial.start();
  await agent.call("set_host_tools", { tools: [WEATHER] });
  const from = agent.mark();
  await agent.call("prompt", { message: "go" });
  const call = await agent.until("host_tool_call", ({ type }) => type === "host_tool_call", from);
  return { agent, call, from };
}

const isEnd = ({ type }: Frame) => type === "agent_end";

export const hostToolChecks = group("host tools", "tools-in-the-host", [
  [
    "offered",
    "`set_host_tools` answers with the names, and the tools are offered to the model.",
    async (trial) => {
      trial.model.put(says("hi"));
      const agent = await trial.start();
      same((await agent.call("set_host_tools", { tools: [WEATHER] })).toolNames, ["weather"], "toolNames");
      await agent.run("hello");
      const offered = trial.model.requests[0]?.tools?.map((tool: Frame) => tool.function.name);
      require(offered?.includes("weather"), `the model was offered ${offered}`);
    },
    "host_tools",
  ],
  [
    "called and answered",
    "A call is a frame with id, name and arguments; the host's result reaches the model.",
    async (trial) => {
      const { agent, call, from } = await called(trial);
      same([call.toolName, call.arguments, call.toolCallId], ["weather", { city: "Ulm" }, "call_w"], "host_tool_call");
      agent.send({ type: "host_tool_result", id: call.id, result: text("sunny in Ulm") });
      await agent.until("agent_end", isEnd, from);
      const observed = JSON.stringify(trial.model.requests[1]?.messages.at(-1));
      require(observed.includes("sunny in Ulm"), `the model got ${observed}`);
    },
    "host_tools",
  ],
  [
    "progress",
    "`host_tool_update` is emitted as `tool_execution_update`.",
    async (trial) => {
      const { agent, call, from } = await called(trial);
      agent.send({ type: "host_tool_update", id: call.id, partialResult: text("looking") });
      const update = await agent.until("tool_execution_update", ({ type }) => type === "tool_execution_update", from);
      same(update.toolCallId, "call_w", "toolCallId");
      agent.send({ type: "host_tool_result", id: call.id, result: text("sunny") });
      await agent.until("agent_end", isEnd, from);
    },
    "host_tools",
  ],
  [
    "failure",
    "A result with `isError` is an error result; the run continues.",
    async (trial) => {
      const { agent, call, from } = await called(trial);
      agent.send({ type: "host_tool_result", id: call.id, result: text("no such city"), isError: true });
      const end = await agent.until("tool_execution_end", ({ type }) => type === "tool_execution_end", from);
      same(end.isError, true, "isError");
      await agent.until("agent_end", isEnd, from);
    },
    "host_tools",
  ],
  [
    "cancelled with the run",
    "An abort sends `host_tool_cancel` with the id of the call to the host; a late result is ignored.",
    async (trial) => {
      const { agent, call, from } = await called(trial);
      await agent.call("abort");
      const cancel = await agent.until("host_tool_cancel", ({ type }) => type === "host_tool_cancel", from);
      same(cancel.targetId, call.id, "targetId");
      agent.send({ type: "host_tool_result", id: call.id, result: text("too late") });
      await agent.call("get_state");
    },
    "host_tools",
  ],
  [
    "finishes before a steer",
    "A `steer` does not cancel a call that the host is running, even with `interruptMode` `immediate`.",
    async (trial) => {
      const { agent, call, from } = await called(trial);
      await agent.call("set_interrupt_mode", { mode: "immediate" });
      await agent.call("steer", { message: "now this" });
      await agent.call("get_state");
      agent.send({ type: "host_tool_result", id: call.id, result: text("sunny in Ulm") });
      await agent.until("agent_end", isEnd, from);
      same(
        agent.frames.filter(({ type }) => type === "host_tool_cancel"),
        [],
        "cancelled calls",
      );
      const sent = JSON.stringify(trial.model.requests[1]?.messages);
      require(sent.includes("sunny in Ulm"), `the model got ${sent}`);
    },
    "interrupt_mode",
  ],
  [
    "stray results",
    "A result for a call that is not open is ignored.",
    async (trial) => {
      const agent = await trial.start();
      agent.send({ type: "host_tool_result", id: "never", result: text("what") });
      await agent.call("get_state");
      same(
        agent.frames.filter(({ type, success }) => type === "response" && success !== true),
        [],
        "failures",
      );
    },
    "host_tools",
  ],
]);
