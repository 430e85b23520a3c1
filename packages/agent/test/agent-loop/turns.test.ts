import { expect, test } from "bun:test";
import { zeroUsage } from "@pintle/ai";
import { Type } from "typebox";
import { user } from "../support/messages.ts";
import { words } from "../support/notation.ts";
import { scenario } from "../support/scenario.ts";
import { makeTool, ok } from "../support/tools.ts";

test("a plain prompt is one turn with every delta in order", async () => {
  const s = scenario({
    answers: [
      [
        { thinking: "hm", signature: "sig" },
        { text: "hello", chunk: 3 },
      ],
    ],
  });
  await s.prompt("hi");
  expect(s.words()).toEqual(
    words(`agent_start ts ms(U) me(U)
      ms(A) mu:thinking_start mu:thinking_delta mu:thinking_end mu:text_start mu:text_delta mu:text_delta mu:text_end
      me(A:stop) te agent_end(stop)`),
  );
});

test("the events contain the messages, and the last one everything the run added", async () => {
  const s = scenario({ answers: [[{ text: "hello" }]] });
  const prompt = user("hi");
  await s.agent.prompt([prompt]);
  const usage = {
    input: 10,
    output: 5,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 15,
    cost: { input: 0.00001, output: 0.00001, cacheRead: 0, cacheWrite: 0, total: 0.00002, totalFromProvider: false },
  };
  const head = { role: "assistant" as const, api: "scripted", provider: "test", model: "scripted" };
  const content = [{ type: "text" as const, text: "hello" }];
  const timestamp = expect.any(Number) as never;
  const answer = {
    ...head,
    content,
    usage,
    stopReason: "stop" as const,
    timestamp,
    duration: timestamp,
    ttft: timestamp,
  };
  const partial = { ...head, content, usage: zeroUsage(), stopReason: "stop" as const, timestamp, ttft: timestamp };
  const empty = { ...partial, content: [{ type: "text" as const, text: "" }] };
  const { ttft: _, ...start } = partial;
  expect(s.events).toEqual([
    { type: "agent_start" },
    { type: "turn_start" },
    { type: "message_start", message: prompt },
    { type: "message_end", message: prompt },
    { type: "message_start", message: { ...start, content: [] } },
    {
      type: "message_update",
      message: empty,
      assistantMessageEvent: { type: "text_start", contentIndex: 0, partial: empty },
    },
    {
      type: "message_update",
      message: partial,
      assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "hello", partial },
    },
    {
      type: "message_update",
      message: partial,
      assistantMessageEvent: { type: "text_end", contentIndex: 0, content: "hello", partial },
    },
    { type: "message_end", message: answer },
    { type: "turn_end", message: answer, toolResults: [] },
    { type: "agent_end", messages: [prompt, answer], stopReason: "stop" },
  ]);
  expect(s.agent.messages).toEqual([prompt, answer]);
});

test("the model gets system prompt, conversation, tool definitions, options and the run's signal", async () => {
  const tool = makeTool("echo");
  const s = scenario({
    answers: [[{ text: "hello" }]],
    setup: async () => ({
      model: s.model,
      systemPrompt: "Be kind.",
      tools: [tool],
      options: { apiKey: "k", thinkingLevel: "high" },
    }),
  });
  await s.prompt("hi");
  const { name, description, parameters } = tool;
  expect(s.requests).toHaveLength(1);
  expect(s.requests[0]?.context).toEqual({
    systemPrompt: "Be kind.",
    messages: [user("hi")],
    tools: [{ name, description, parameters }],
  });
  expect(s.requests[0]?.options).toMatchObject({ apiKey: "k", thinkingLevel: "high" });
  expect(s.requests[0]?.options.signal).toBeInstanceOf(AbortSignal);
  expect(s.requests[0]?.options.toolChoice).toBeUndefined();
});

test("tool calls run and their results go back to the model in the same run", async () => {
  const echo = makeTool("echo", async (args) => ok(`said ${(args as { what: string }).what}`), {
    parameters: Type.Object({ what: Type.String() }),
  });
  const s = scenario({
    answers: [
      [{ text: "wait" }, { call: "echo", args: { what: "one" } }, { call: "echo", args: { what: "two" } }],
      [{ text: "done" }],
    ],
    tools: [echo],
  });
  await s.prompt("go");
  expect(s.words()).toEqual(
    words(`agent_start ts ms(U) me(U)
      ms(A) mu:text_start mu:text_delta mu:text_end mu:toolcall_start mu:toolcall_delta mu:toolcall_end
      mu:toolcall_start mu:toolcall_delta mu:toolcall_end me(A:toolUse)
      xs:call_1 xs:call_2 xe:call_1 ms(T) me(T) xe:call_2 ms(T) me(T) te
      ts ms(A) mu:text_start mu:text_delta mu:text_end me(A:stop) te agent_end(stop)`),
  );
  const [turn] = s.ofType("turn_end");
  expect(turn?.toolResults).toEqual([
    {
      role: "toolResult",
      toolCallId: "call_1",
      toolName: "echo",
      content: [{ type: "text", text: "said one" }],
      isError: false,
      durationMs: expect.any(Number) as never,
      timestamp: expect.any(Number) as never,
    },
    {
      role: "toolResult",
      toolCallId: "call_2",
      toolName: "echo",
      content: [{ type: "text", text: "said two" }],
      isError: false,
      durationMs: expect.any(Number) as never,
      timestamp: expect.any(Number) as never,
    },
  ]);
  expect(s.requests[1]?.context.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "toolResult",
    "toolResult",
  ]);
  expect(s.ofType("agent_end")[0]?.messages).toEqual([...s.agent.messages]);
});

test("start and end of a call contain its arguments, its intent and its result", async () => {
  const warn = makeTool("warn", async () => ({ ...ok("careful"), details: { n: 1 }, isWarning: true }));
  const stream = scenario({ answers: [[{ call: "warn", args: { a: 1 }, id: "w1" }], [{ text: "ok" }]], tools: [warn] });
  await stream.prompt("go");
  expect(stream.ofType("tool_execution_start")).toEqual([
    { type: "tool_execution_start", toolCallId: "w1", toolName: "warn", args: { a: 1 } },
  ]);
  expect(stream.ofType("tool_execution_end")).toEqual([
    {
      type: "tool_execution_end",
      toolCallId: "w1",
      toolName: "warn",
      result: { content: [{ type: "text", text: "careful" }], details: { n: 1 }, isWarning: true },
      isError: false,
      isWarning: true,
      durationMs: 1,
    },
  ]);
});

test("the run ends if every result of a batch requests it, but not if only some do", async () => {
  const final = makeTool("final", async () => ({ ...ok("bye"), terminate: true }));
  const plain = makeTool("plain");
  const all = scenario({ answers: [[{ call: "final" }, { call: "final" }]], tools: [final, plain] });
  await all.prompt("go");
  expect(all.shortWords().slice(-2)).toEqual(["te", "agent_end(stop)"]);
  expect(all.requests).toHaveLength(1);
  expect(all.ofType("tool_execution_end")[0]?.result).toEqual(ok("bye"));

  const some = scenario({
    answers: [[{ call: "final" }, { call: "plain" }], [{ text: "more" }]],
    tools: [final, plain],
  });
  await some.prompt("go");
  expect(some.requests).toHaveLength(2);
});

test("a follow-up is still answered after a batch that asked to end the run", async () => {
  const final = makeTool("final", async () => ({ ...ok("bye"), terminate: true }));
  const s = scenario({ answers: [[{ call: "final" }], [{ text: "more" }]], tools: [final] });
  s.agent.queue.followUp(user("and then?"));
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:toolUse) xs:call_1 xe:call_1 ms(T) me(T) te
      ts ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("model, system prompt, tools and options are read before every call", async () => {
  const seen: number[] = [];
  const echo = makeTool("echo");
  const s = scenario({
    answers: [[{ call: "echo" }], [{ text: "done" }]],
    setup: () => {
      seen.push(s.requests.length);
      return {
        model: { ...s.model, id: `model-${s.requests.length}` },
        systemPrompt: `prompt ${s.requests.length}`,
        tools: s.requests.length === 0 ? [echo] : [],
      };
    },
  });
  await s.prompt("go");
  expect(seen).toEqual([0, 1]);
  expect(s.requests.map(({ context }) => [context.systemPrompt, context.tools?.length])).toEqual([
    ["prompt 0", 1],
    ["prompt 1", 0],
  ]);
  expect(s.ofType("turn_end").map(({ message }) => message.model)).toEqual(["model-0", "model-1"]);
});

test("a call is looked up among the tools that its model call offered, whatever is active by then", async () => {
  const offered = makeTool("offered");
  const s = scenario({ answers: [[{ call: "offered" }], [{ text: "done" }]], tools: [offered] });
  s.listen((event) => {
    if (event.type === "message_end" && event.message.role === "assistant") s.live.tools = [];
  });
  await s.prompt("go");
  expect(s.ofType("tool_execution_end").map(({ isError }) => isError)).toEqual([false]);
  expect(s.requests[1]?.context.tools).toEqual([]);
});

test("calls of a message that says stop instead of toolUse run anyway", async () => {
  const s = scenario({
    answers: [[{ call: "echo" }, { stop: "stop" }], [{ text: "done" }]],
    tools: [makeTool("echo")],
  });
  await s.prompt("go");
  expect(s.shortWords()).toEqual(
    words(`agent_start ts ms(U) me(U) ms(A) mu* me(A:stop) xs:call_1 xe:call_1 ms(T) me(T) te
      ts ms(A) mu* me(A:stop) te agent_end(stop)`),
  );
});

test("an answer cut at the output limit without calls ends the run, and the end says so", async () => {
  const s = scenario({ answers: [[{ text: "once upon a" }, { stop: "length" }]] });
  await s.prompt("tell");
  expect(s.shortWords()).toEqual(words("agent_start ts ms(U) me(U) ms(A) mu* me(A:length) te agent_end(length)"));
});

test("several prompt messages are announced in order in the first turn", async () => {
  const s = scenario({ answers: [[{ text: "ok" }]] });
  const note = { role: "custom", customType: "n", content: "note", display: false, timestamp: 2 } as const;
  await s.agent.prompt([user("one"), note, user("two")]);
  expect(s.shortWords()).toEqual(
    words("agent_start ts ms(U) me(U) ms(custom) me(custom) ms(U) me(U) ms(A) mu* me(A:stop) te agent_end(stop)"),
  );
});

test("message timestamps of a run strictly increase", async () => {
  const s = scenario({
    answers: [[{ call: "echo" }, { call: "echo" }], [{ text: "done" }]],
    tools: [makeTool("echo")],
  });
  await s.agent.prompt([user("go", s.clock.now())]);
  const times = s.agent.messages.map(({ timestamp }) => timestamp);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});

test("the next run continues the conversation of the last", async () => {
  const s = scenario({ answers: [[{ text: "one" }], [{ text: "two" }]] });
  await s.prompt("first");
  await s.prompt("second");
  expect(s.requests[1]?.context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(s.ofType("agent_end")[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(s.words().filter((word) => word.startsWith("agent_"))).toEqual(
    words("agent_start agent_end(stop) agent_start agent_end(stop)"),
  );
});
