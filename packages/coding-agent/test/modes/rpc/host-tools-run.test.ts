import { describe, expect, test } from "bun:test";
import { Agent, type AgentEvent, type Clock, type LoopDeps, type Tool } from "@pintle/agent";
import type { UserMessage } from "@pintle/ai";
import { type ScriptedAnswer, scriptedModel } from "@pintle/ai/testing";
import { settle } from "../../support/modes/frames/fake-timers.ts";
import { HostBench } from "../../support/modes/rpc/host-bench.ts";
import { text } from "../../support/modes/rpc/host-tool-calls.ts";

// Host tools in the real loop: what the model and the host receive.

const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const frozenClock: Clock = { now: () => 1, delay: () => new Promise(() => {}) };
const prompt = (content: string): UserMessage => ({ role: "user", content, timestamp: 1 });

async function startRun(answers: readonly ScriptedAnswer[], interruptMode: "wait" | "immediate" = "wait") {
  const bench = new HostBench();
  const define = async (names: string[]): Promise<Tool[]> => {
    const definitions = names.map((name) => ({ name, description: "For tests.", parameters }));
    return (await bench.channel.tools.define(definitions, () => false)).map(({ tool }) => tool);
  };
  let tools = await define(["lookup", "Mixed_Case"]);
  const { model, stream, requests } = scriptedModel(answers);
  const events: AgentEvent[] = [];
  const deps: LoopDeps = {
    stream,
    setup: () => ({ model, tools }),
    emit: (event) => events.push(event),
    interruptMode: () => interruptMode,
    limits: () => ({ maxTurns: 0, abortGraceMs: 5000 }),
    clock: frozenClock,
  };
  const agent = new Agent(deps);
  const finished = agent.claim().start([prompt("go")]);
  await Promise.race([bench.asked, finished]);
  await settle();
  /** Summarizes tool events. */
  const toolEvents = () =>
    events.flatMap((event) => {
      if (event.type === "tool_execution_start") return [`start ${event.toolCallId}`];
      if (event.type === "tool_execution_update") return [`update ${event.toolCallId} ${textOf(event.partialResult)}`];
      if (event.type !== "tool_execution_end") return [];
      return [`${event.isError ? "error" : "end"} ${event.toolCallId} ${textOf(event.result)}`];
    });
  return {
    bench,
    agent,
    events,
    requests,
    finished,
    toolEvents,
    replaceTools: async (names: string[]) => {
      tools = await define(names);
    },
  };
}

function textOf({ content }: { content: { type: string; text?: string }[] }): string {
  return content.map((block) => block.text ?? block.type).join("+");
}

const call = (id: string, name = "lookup") => ({ call: name, id, args: { n: 1 } });

describe("in a run", () => {
  test("calls of one message run concurrently; updates and results become events and messages", async () => {
    const { bench, finished, toolEvents, requests } = await startRun([
      [call("a"), call("b", "Mixed_Case")],
      [{ text: "done" }],
    ]);
    expect(bench.frames()).toEqual([
      { type: "host_tool_call", id: "host_1", toolCallId: "a", toolName: "lookup", arguments: { n: 1 } },
      { type: "host_tool_call", id: "host_2", toolCallId: "b", toolName: "Mixed_Case", arguments: { n: 1 } },
    ]);
    bench.answer({ type: "host_tool_update", id: "host_2", partialResult: { content: [text("half")] } });
    bench.answer({ type: "host_tool_result", id: "host_2", result: { content: [text("two")] } });
    bench.answer({
      type: "host_tool_result",
      id: "host_1",
      result: { content: [text("no")], details: { code: 1 } },
      isError: true,
    });
    await finished;
    expect(toolEvents().toSorted()).toEqual(["end b two", "error a no", "start a", "start b", "update b half"]);
    const results = requests[1]!.context.messages.filter(({ role }) => role === "toolResult");
    expect(results).toEqual([
      {
        role: "toolResult",
        toolCallId: "a",
        toolName: "lookup",
        content: [text("no")],
        details: { code: 1 },
        isError: true,
        durationMs: 0,
        timestamp: 1,
      },
      {
        role: "toolResult",
        toolCallId: "b",
        toolName: "Mixed_Case",
        content: [text("two")],
        isError: false,
        durationMs: 0,
        timestamp: 1,
      },
    ] as never);
  });

  test("invalid arguments never reach the host", async () => {
    const { bench, finished, toolEvents } = await startRun([
      [{ call: "lookup", id: "a", args: { n: "many" } }],
      [{ text: "done" }],
    ]);
    await finished;
    expect(bench.frames()).toEqual([]);
    expect(toolEvents()[1]).toStartWith('error a Validation failed for tool "lookup":');
  });

  test("an abort cancels every open call; the run ends without the host's help", async () => {
    const { bench, agent, finished, toolEvents, events } = await startRun([[call("a"), call("b")]]);
    bench.frames();
    await agent.abort();
    await finished;
    expect(bench.frames()).toEqual([
      { type: "host_tool_cancel", id: "host_cancel_1", targetId: "host_1" },
      { type: "host_tool_cancel", id: "host_cancel_2", targetId: "host_2" },
    ]);
    expect(toolEvents().slice(2)).toEqual([
      'error a Host tool "lookup" was aborted',
      'error b Host tool "lookup" was aborted',
    ]);
    expect(events.at(-1)).toMatchObject({ type: "agent_end", stopReason: "aborted" });
    const count = events.length;
    bench.answer({ type: "host_tool_result", id: "host_1", result: { content: [text("late")] } });
    await settle();
    expect({ events: events.length, list: bench.channel.list() }).toEqual({ events: count, list: [] });
  });

  for (const mode of ["immediate", "wait"] as const) {
    test(`steering with interrupt mode ${mode} lets a running call finish`, async () => {
      const { bench, agent, finished, toolEvents } = await startRun([[call("a")], [{ text: "done" }]], mode);
      bench.frames();
      agent.queue.steer(prompt("something else"));
      await settle();
      bench.answer({ type: "host_tool_result", id: "host_1", result: { content: [text("kept")] } });
      await finished;
      expect(bench.frames()).toEqual([]);
      expect(toolEvents()).toEqual(["start a", "end a kept"]);
    });
  }

  test("a host that never answers delays the run, but does not stop it", async () => {
    const { bench, finished, toolEvents, events } = await startRun([[call("a"), call("b")], [{ text: "done" }]]);
    bench.frames();
    bench.timers.advance(300_000);
    await finished;
    expect(toolEvents().slice(2)).toEqual([
      'error a Host tool "lookup" timed out after 300 seconds',
      'error b Host tool "lookup" timed out after 300 seconds',
    ]);
    expect(events.at(-1)).toMatchObject({ type: "agent_end", stopReason: "stop" });
    expect({ list: bench.channel.list(), timers: bench.timers.pendingCount }).toEqual({ list: [], timers: 0 });
  });

  test("when the host disconnects, the open call and every later one fail", async () => {
    const { bench, finished, toolEvents } = await startRun([[call("a")], [call("b")], [{ text: "done" }]]);
    bench.frames();
    bench.channel.hostGone();
    await finished;
    const gone = "RPC client disconnected before host tool execution completed";
    expect(toolEvents()).toEqual(["start a", `error a ${gone}`, "start b", `error b ${gone}`]);
    expect(bench.frames()).toEqual([]);
  });

  test("a new set of tools applies from the next model call; the call in flight completes as before", async () => {
    const { bench, finished, toolEvents, requests, replaceTools } = await startRun([[call("a")], [{ text: "done" }]]);
    await replaceTools(["other"]);
    bench.answer({ type: "host_tool_result", id: "host_1", result: { content: [text("still here")] } });
    await finished;
    expect(toolEvents()).toEqual(["start a", "end a still here"]);
    expect(requests.map(({ context }) => context.tools?.map(({ name }) => name))).toEqual([
      ["lookup", "Mixed_Case"],
      ["other"],
    ]);
  });
});
