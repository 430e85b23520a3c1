import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { type Frame, textOf } from "../frame.ts";
import { calls, says } from "../model-server.ts";

const bash = (command: string, id: string) => ({ name: "bash", args: { command }, id });

export const toolChecks = group("tools", "events", [
  [
    "a call has a start and an end",
    "A tool call is reported by `tool_execution_start` and `tool_execution_end` with the id of the call.",
    async (trial) => {
      trial.model.put(calls(bash("echo hi", "call_a")), says("done"));
      const agent = await trial.start();
      const frames = (await agent.run("go")).filter(({ type }) => /^tool_execution_(start|end)$/.test(type));
      same(
        frames.map(({ type, toolCallId, toolName }) => [type, toolCallId, toolName]),
        [
          ["tool_execution_start", "call_a", "bash"],
          ["tool_execution_end", "call_a", "bash"],
        ],
        "events of the call",
      );
      same(frames[1]?.isError, false, "isError");
    },
  ],
  [
    "results in the order of the calls",
    "Results of parallel calls are in the order of the calls, whichever finished first.",
    async (trial) => {
      trial.model.put(calls(bash("sleep 0.4; echo slow", "call_slow"), bash("echo fast", "call_fast")), says("done"));
      const agent = await trial.start();
      const frames = await agent.run("go");
      const turn = frames.find(({ type }) => type === "turn_end");
      same(
        turn?.toolResults?.map((result: Frame) => result.toolCallId),
        ["call_slow", "call_fast"],
        "toolResults",
      );
      same(
        trial.model.requests[1]?.messages.slice(-2).map((message: Frame) => message.tool_call_id),
        ["call_slow", "call_fast"],
        "what the model gets",
      );
    },
  ],
  [
    "an unknown tool",
    "A call of a tool that does not exist is an error result that the model reads; the run continues.",
    async (trial) => {
      trial.model.put(calls({ name: "no_such_tool", args: {}, id: "call_x" }), says("sorry"));
      const agent = await trial.start();
      const frames = await agent.run("go");
      const { messages } = frames.at(-1) ?? {};
      const result = messages?.find((message: Frame) => message.role === "toolResult");
      same(result?.isError, true, "isError of the result");
      same(textOf(messages?.at(-1)), "sorry", "the answer");
    },
  ],
  [
    "a failing command",
    "A tool that fails is an error result; its output reaches the model.",
    async (trial) => {
      trial.model.put(calls(bash("echo why; exit 3", "call_f")), says("done"));
      const agent = await trial.start();
      await agent.run("go");
      const observed = JSON.stringify(trial.model.requests[1]?.messages.at(-1));
      require(observed.includes("why"), `the model did not get the output: ${observed}`);
    },
  ],
  [
    "duration",
    "`tool_execution_end` has `durationMs`, the time that the tool ran.",
    async (trial) => {
      trial.model.put(calls(bash("sleep 0.05", "call_d")), says("done"));
      const agent = await trial.start();
      const end = (await agent.run("go")).find(({ type }) => type === "tool_execution_end");
      require(end?.durationMs >= 40, `durationMs of a call that sleeps 50 ms: ${end?.durationMs}`);
    },
    "durations",
  ],
  [
    "excluded by pattern",
    "`--exclude-tools` takes patterns: a matching tool is not offered to the model.",
    async (trial) => {
      trial.model.put(says("hi"));
      const agent = await trial.start(["--exclude-tools", "ba*"]);
      await agent.run("go");
      const offered = trial.model.requests[0]?.tools?.map(({ function: { name } }: Frame) => name) ?? [];
      require(offered.includes("read"), `the model is not offered the other tools: ${offered}`);
      same(offered.includes("bash"), false, "bash is offered");
    },
    "tool_patterns",
  ],
  [
    "added and removed by name",
    "`--tools +NAME,-NAME` adds tools to the default set and removes others from it.",
    async (trial) => {
      trial.model.put(says("hi"));
      const agent = await trial.start(["--tools", "+grep,-write"]);
      await agent.run("go");
      const offered = trial.model.requests[0]?.tools?.map(({ function: { name } }: Frame) => name) ?? [];
      const wanted = ["read", "bash", "edit", "grep"];
      same(
        wanted.filter((name) => offered.includes(name)),
        wanted,
        "default and added tools that the model is offered",
      );
      same(offered.includes("write"), false, "write is offered");
    },
    "tool_changes",
  ],
]);
