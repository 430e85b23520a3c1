import { describe, expect, test } from "bun:test";
import type { AssistantMessage } from "../../../src/messages.ts";
import { streamModel } from "../../../src/stream.ts";
import { type CheckedAnswer, readChecked } from "../../support/event-checker.ts";
import { sendEvents, startLoopbackServer } from "../../support/loopback-server.ts";
import {
  answer,
  call,
  chunk,
  done,
  event,
  gpt,
  opening,
  statistics,
  text,
} from "../../support/protocols/openai-completions/samples.ts";

async function decode(...events: string[]): Promise<CheckedAnswer> {
  await using server = await startLoopbackServer(sendEvents(events.join("")));
  return await readChecked(streamModel({ ...gpt, baseUrl: server.url }, { messages: [] }, { now: () => 0 }));
}

function calls({ content }: AssistantMessage): unknown[] {
  return content.flatMap((block) => (block.type === "toolCall" ? [[block.id, block.name, block.arguments]] : []));
}

/** The content of the events, block by block, for tests of their order. */
function outline({ events }: CheckedAnswer): string[] {
  return events.flatMap((it) => ("contentIndex" in it ? [`${it.contentIndex} ${it.type}`] : [it.type]));
}

test("an ordinary answer, as a whole", async () => {
  const { message, events } = await decode(
    answer("stop", chunk({ reasoning_content: "Let me" }), chunk({ reasoning_content: " see" }), text("Hi"), text("!")),
  );
  expect(events.map(({ type }) => type)).toEqual([
    "start",
    "thinking_start",
    "thinking_delta",
    "thinking_delta",
    "thinking_end",
    "text_start",
    "text_delta",
    "text_delta",
    "text_end",
    "done",
  ]);
  expect(message).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Let me see", thinkingSignature: "reasoning_content" },
      { type: "text", text: "Hi!" },
    ],
    api: "openai-completions",
    provider: "openai",
    model: "gpt-test",
    responseId: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    usage: {
      input: 93,
      output: 46,
      cacheRead: 1024,
      cacheWrite: 0,
      totalTokens: 1163,
      cost: {
        input: 0.000186,
        output: 0.000368,
        cacheRead: 0.000512,
        cacheWrite: 0,
        total: 0.001066,
        totalFromProvider: false,
      },
    },
    stopReason: "stop",
    timestamp: 0,
    duration: 0,
    ttft: 0,
  });
});

describe("tool calls", () => {
  const cases: [string, string[], unknown[]][] = [
    [
      "without an index",
      [call({ id: "a", name: "read", args: "" }), call({ args: '{"x":' }), call({ args: "1}" })],
      [["a", "read", { x: 1 }]],
    ],
    [
      "with an index that comes late",
      [call({ id: "a", name: "read", args: '{"x"' }), call({ index: 0, args: ":1}" })],
      [["a", "read", { x: 1 }]],
    ],
    [
      "without an index, told apart by id",
      [
        call({ id: "a", name: "read", args: '{"x"' }),
        call({ id: "b", name: "grep", args: '{"y"' }),
        call({ id: "a", args: ":1}" }),
        call({ id: "b", args: ":2}" }),
      ],
      [
        ["a", "read", { x: 1 }],
        ["b", "grep", { y: 2 }],
      ],
    ],
    [
      "all with index 0, but other ids and names",
      [
        call({ index: 0, id: "a", name: "read", args: '{"x":1}' }),
        call({ index: 0, id: "b", name: "grep", args: '{"y"' }),
        call({ index: 0, args: ":2}" }),
        call({ index: 0, id: "c", name: "grep", args: '{"z":3}' }),
      ],
      [
        ["a", "read", { x: 1 }],
        ["b", "grep", { y: 2 }],
        ["c", "grep", { z: 3 }],
      ],
    ],
    [
      "with an id that comes late",
      [call({ index: 0, name: "read", args: '{"x"' }), call({ index: 0, id: "a", args: ":1}" })],
      [["a", "read", { x: 1 }]],
    ],
    [
      "with a name that comes late",
      [call({ index: 0, id: "a", args: '{"x"' }), call({ index: 0, name: "read", args: ":1}" })],
      [["a", "read", { x: 1 }]],
    ],
    [
      "with id and name in every fragment",
      [
        call({ index: 0, id: "a", name: "read", args: '{"x"' }),
        call({ index: 0, id: "a", name: "read", args: ":{}" }),
        call({ index: 0, id: "a", name: "read", args: "}" }),
      ],
      [["a", "read", { x: {} }]],
    ],
    [
      "with the name in every fragment and the id only once",
      [call({ index: 0, id: "a", name: "read", args: '{"x"' }), call({ index: 0, name: "read", args: ":1}" })],
      [["a", "read", { x: 1 }]],
    ],
    [
      "with the name in every fragment, one of which opens an object",
      [call({ index: 0, id: "a", name: "read", args: '{"x":' }), call({ index: 0, name: "read", args: '{"y":1}}' })],
      [["a", "read", { x: { y: 1 } }]],
    ],
    [
      "with a new id in every fragment",
      [call({ index: 0, id: "a", name: "read", args: '{"x"' }), call({ index: 0, id: "b", args: ":1}" })],
      [["a", "read", { x: 1 }]],
    ],
    [
      "with ids first and names later, without an index",
      [call({ id: "a" }), call({ id: "b" }), call({ id: "a", name: "read" }), call({ id: "b", name: "grep" })],
      [
        ["a", "read", {}],
        ["b", "grep", {}],
      ],
    ],
    [
      "with one id for two calls: the second gets its own",
      [
        call({ index: 0, id: "a", name: "read", args: '{"x"' }),
        call({ index: 1, id: "a", name: "grep", args: '{"y"' }),
        call({ index: 0, id: "a", args: ":1}" }),
        call({ index: 1, id: "a", args: ":2}" }),
      ],
      [
        ["a", "read", { x: 1 }],
        ["a_2", "grep", { y: 2 }],
      ],
    ],
    [
      "with null where nothing is said",
      [
        call({ index: 0, id: "a", name: "read", args: null }),
        call({ index: 0, id: null, name: null, args: '{"x":1}' }),
        call({ index: 0, id: "", name: "", args: "" }),
      ],
      [["a", "read", { x: 1 }]],
    ],
    [
      "with arguments as an object",
      [call({ index: 0, id: "a", name: "read", args: { x: 1 } })],
      [["a", "read", { x: 1 }]],
    ],
    ["without arguments", [call({ index: 0, id: "a", name: "now" })], [["a", "now", {}]]],
    [
      "announced by an empty entry",
      [call({ index: 0 }), call({ index: 0, id: "a", name: "read", args: "{}" })],
      [["a", "read", {}]],
    ],
    [
      "with fragments that alternate",
      [
        call({ index: 0, id: "a", name: "read", args: "" }),
        call({ index: 1, id: "b", name: "read", args: "" }),
        call({ index: 1, args: '{"y"' }),
        call({ index: 0, args: '{"x"' }),
        call({ index: 1, args: ":2}" }),
        call({ index: 0, args: ":1}" }),
      ],
      [
        ["a", "read", { x: 1 }],
        ["b", "read", { y: 2 }],
      ],
    ],
  ];
  test.each(cases)("%s", async (_name, events, expected) => {
    const { message } = await decode(answer("tool_calls", ...events));
    expect(calls(message)).toEqual(expected);
    expect(message.stopReason).toBe("toolUse");
  });

  test("that never get an id get one at the end", async () => {
    const { message } = await decode(
      answer(
        "tool_calls",
        call({ index: 0, id: "", name: "read", args: '{"x":1}' }),
        call({ index: 0, id: "", name: "read", args: '{"x":2}' }),
        call({ name: "grep", args: "{}" }),
      ),
    );
    const id = expect.stringMatching(/^call_[0-9a-f]{32}$/);
    expect(calls(message)).toEqual([
      [id, "read", { x: 1 }],
      [id, "read", { x: 2 }],
      [id, "grep", {}],
    ]);
  });

  test("several in one chunk", async () => {
    const entry = (id: string, x: number) => ({ id, function: { name: "read", arguments: `{"x":${x}}` } });
    const { message } = await decode(answer("tool_calls", chunk({ tool_calls: [entry("a", 1), null, entry("b", 2)] })));
    expect(calls(message)).toEqual([
      ["a", "read", { x: 1 }],
      ["b", "read", { x: 2 }],
    ]);
  });

  test("a call that never gets a name is an error", async () => {
    const { failure } = await decode(answer("tool_calls", call({ index: 0, id: "a", args: '{"x":1}' })));
    expect(failure).toEqual({ kind: "protocol" });
  });

  test.each([
    [
      "numbered, whole",
      [
        { index: 0, id: "c", name: "read", args: '{"x":1}' },
        { index: 1, id: "c", name: "read", args: '{"x":2}' },
      ],
    ],
    [
      "numbered, in pieces",
      [
        { index: 0, id: "c", name: "read", args: "" },
        { index: 1, id: "c", name: "read", args: "" },
        { index: 0, args: '{"x":' },
        { index: 1, args: '{"x":' },
        { index: 0, args: "1}" },
        { index: 1, args: "2}" },
      ],
    ],
    [
      "not numbered",
      [
        { id: "c", name: "read", args: '{"x":1}' },
        { id: "c", name: "read", args: '{"x":2}' },
      ],
    ],
    [
      "all numbered 0",
      [
        { index: 0, id: "c", name: "read", args: '{"x":1}' },
        { index: 0, id: "c", name: "read", args: '{"x":2}' },
      ],
    ],
  ])("two parallel calls with one id: %s", async (_name, deltas) => {
    const { message } = await decode(answer("tool_calls", ...deltas.map(call)));
    expect(calls(message)).toEqual([
      ["c", "read", { x: 1 }],
      ["c_2", "read", { x: 2 }],
    ]);
  });

  test("a call that repeats id and name in every piece is one call", async () => {
    const pieces = ['{"x":{"y":1}', ",", '"z":"}', '{"}'];
    const { message } = await decode(
      answer("tool_calls", ...pieces.map((args) => call({ id: "c", name: "read", args }))),
    );
    expect(calls(message)).toEqual([["c", "read", { x: { y: 1 }, z: "}{" }]]);
  });

  test("an id from an earlier answer is not reused", async () => {
    await using server = await startLoopbackServer(
      sendEvents(answer("tool_calls", call({ index: 0, id: "call_0", name: "read", args: "{}" }))),
    );
    const model = { ...gpt, baseUrl: server.url };
    const first = await readChecked(streamModel(model, { messages: [] }));
    const second = await readChecked(streamModel(model, { messages: [first.message] }));
    expect(calls(first.message)).toEqual([["call_0", "read", {}]]);
    expect(calls(second.message)).toEqual([["call_0_2", "read", {}]]);
  });

  test("buffered arguments become the first delta; blocks end with the answer", async () => {
    const result = await decode(
      answer(
        "tool_calls",
        text("I look."),
        call({ index: 0, args: '{"x"' }),
        call({ index: 0, id: "a", name: "read", args: ":" }),
        call({ index: 1, id: "b", name: "grep", args: "{}" }),
        call({ index: 0, args: "1}" }),
        text("Done."),
      ),
    );
    expect(outline(result)).toEqual([
      "start",
      "0 text_start",
      "0 text_delta",
      "0 text_end",
      "1 toolcall_start",
      "1 toolcall_delta",
      "2 toolcall_start",
      "2 toolcall_delta",
      "1 toolcall_delta",
      "3 text_start",
      "3 text_delta",
      "1 toolcall_end",
      "2 toolcall_end",
      "3 text_end",
      "done",
    ]);
    expect(result.events[5]).toMatchObject({ delta: '{"x":' });
  });

  test("a thought signature stays with its call, early or late", async () => {
    const signed = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });
    const { message } = await decode(
      answer(
        "stop",
        chunk({
          tool_calls: [{ index: 0, id: "a", function: { name: "read", arguments: "{}" }, ...signed("early") }],
        }),
        call({ index: 1, id: "b", name: "grep", args: "{" }),
        chunk({ tool_calls: [{ index: 1, function: { arguments: "}" }, ...signed("late") }] }),
      ),
    );
    expect(message.content).toMatchObject([{ thoughtSignature: "early" }, { thoughtSignature: "late" }]);
  });
});

describe("finish reasons", () => {
  const reading = call({ index: 0, id: "a", name: "read", args: "{}" });
  test.each([
    ["stop", [text("x")], "stop"],
    ["length", [text("x")], "length"],
    ["max_tokens", [text("x")], "length"],
    ["tool_calls", [reading], "toolUse"],
    ["function_call", [reading], "toolUse"],
    ["stop", [reading], "toolUse"],
    ["length", [reading], "length"],
    ["end_turn", [text("x")], "stop"],
    ["tool_calls", [text("x")], "stop"],
  ] as const)("%s after %j", async (reason, events, expected) => {
    const { message } = await decode(answer(reason, ...events));
    expect(message.stopReason).toBe(expected);
  });

  test.each([
    ["content_filter", "refused"],
    ["sensitive", "refused"],
    ["error", "server"],
    ["network_error", "network"],
    ["model_context_window_exceeded", "overflow"],
  ] as const)("%s is an error", async (reason, kind) => {
    const { failure, message } = await decode(answer(reason, text("x")));
    expect(failure).toEqual({ kind });
    expect(message.content).toEqual([{ type: "text", text: "x" }]);
  });

  test("an empty one in every chunk is ignored", async () => {
    const { failure } = await decode(opening, chunk({ content: "x" }, ""), chunk({ content: "y" }, ""));
    expect(failure).toEqual({ kind: "truncated" });
  });

  test("with the last text in the same chunk", async () => {
    const { message } = await decode(opening, chunk({ content: "all at once" }, "stop"));
    expect(message.content).toEqual([{ type: "text", text: "all at once" }]);
  });

  test("keeps text after it", async () => {
    const { message } = await decode(opening, chunk({ content: "a" }, "stop"), chunk({ content: "b" }, "stop"), done);
    expect(message.content).toEqual([{ type: "text", text: "ab" }]);
  });

  test("keeps text after it if every chunk has usage", async () => {
    const counted = (content: string, finish_reason: string | null) =>
      event({ choices: [{ delta: { content }, finish_reason }], usage: { prompt_tokens: 5, completion_tokens: 1 } });
    const { message } = await decode(opening, counted("a", "stop"), counted("b", null), counted("c", null), done);
    expect(message.content).toEqual([{ type: "text", text: "abc" }]);
  });

  test("[DONE] alone completes an answer", async () => {
    const { message, failure } = await decode(opening, text("x"), done);
    expect(failure).toBeUndefined();
    expect(message.stopReason).toBe("stop");
  });

  test("ignores garbage after it, but not an error", async () => {
    const complete = [opening, text("x"), chunk({}, "stop")];
    expect((await decode(...complete, "data: bye\n\n")).failure).toBeUndefined();
    expect((await decode(...complete, event({ error: { message: "Oh no" } }))).failure).toEqual({ kind: "server" });
  });
});

describe("chunks", () => {
  test.each([
    ["without choices", event({ id: "x", object: "chat.completion.chunk" })],
    ["with empty choices", event({ id: "x", choices: [], prompt_filter_results: [{}] })],
    ["with null for choices", event({ id: "x", choices: null })],
    ["with a choice without delta", event({ id: "x", choices: [{ index: 0, finish_reason: null }] })],
    ["with null for delta", event({ id: "x", choices: [{ index: 0, delta: null }] })],
    ["with null for every field", event({ id: "x", choices: [{ delta: { content: null, tool_calls: null } }] })],
    ["with no data", "data:\n\n"],
    ["with null", "data: null\n\n"],
    ["of an unknown event that is not JSON", "event: ping\ndata: pong\n\n"],
    ["with error null", event({ id: "x", error: null })],
  ])("%s are ignored", async (_name, nothing) => {
    const { message, failure } = await decode(nothing, opening, text("x"), nothing, chunk({}, "stop"), nothing, done);
    expect(failure).toBeUndefined();
    expect(message.content).toEqual([{ type: "text", text: "x" }]);
  });

  test("a refusal is text", async () => {
    const { message } = await decode(answer("stop", chunk({ refusal: "I can" }), chunk({ refusal: "not" })));
    expect(message.content).toEqual([{ type: "text", text: "I cannot" }]);
  });

  test("content as a list of parts, thoughts among them", async () => {
    const thought = { type: "thinking", thinking: [{ type: "text", text: "Hm" }, null] };
    const { message } = await decode(
      answer("stop", chunk({ content: [thought] }), chunk({ content: [{ type: "text", text: "A" }, null] }), text("B")),
    );
    expect(message.content).toEqual([
      { type: "thinking", thinking: "Hm" },
      { type: "text", text: "AB" },
    ]);
  });

  test.each([
    [
      "an error event",
      'event: error\ndata: {"message":"Backend gone","code":502}\n\n',
      { kind: "server", status: 502 },
    ],
    ["a status code", event({ error: { code: 429, message: "Slow" } }), { kind: "rate_limit", status: 429 }],
    ["a word", event({ error: { type: "insufficient_quota", message: "Pay" } }), { kind: "quota", status: 402 }],
    ["a string", event({ error: "It broke" }), { kind: "server" }],
    [
      "an overflow",
      event({ error: { code: "context_length_exceeded", message: "maximum context length is 8192" } }),
      { kind: "overflow", status: 400 },
    ],
    [
      "OpenRouter's choice with an error",
      event({ choices: [{ delta: {}, error: { code: 429, message: "Slow" }, finish_reason: "error" }] }),
      { kind: "rate_limit", status: 429 },
    ],
    [
      "OpenRouter's chunk with an error",
      event({ error: { code: 502, message: "Provider gone" }, choices: [{ delta: {}, finish_reason: "error" }] }),
      { kind: "server", status: 502 },
    ],
  ])("an error inside the stream as %s", async (_name, error, expected) => {
    const { failure, message } = await decode(opening, text("x"), error, text("y"), done);
    expect(failure).toEqual(expected as never);
    expect(message.content).toEqual([{ type: "text", text: "x" }]);
  });
});

describe("reasoning", () => {
  test.each(["reasoning_content", "reasoning", "reasoning_text"])("in the field %s", async (field) => {
    const { message } = await decode(answer("stop", chunk({ [field]: "Hm" }), chunk({ [field]: "…" }), text("x")));
    expect(message.content[0]).toEqual({ type: "thinking", thinking: "Hm…", thinkingSignature: field });
  });

  test("repeated in two fields is used once", async () => {
    const { message } = await decode(answer("stop", chunk({ reasoning: "Hm", reasoning_content: "Hm" })));
    expect(message.content).toEqual([{ type: "thinking", thinking: "Hm", thinkingSignature: "reasoning_content" }]);
  });

  test("between text blocks has blocks of its own", async () => {
    const { message } = await decode(
      answer("stop", text("a"), chunk({ reasoning: "b" }), text("c"), chunk({ reasoning: "d" })),
    );
    expect(message.content.map(({ type }) => type)).toEqual(["text", "thinking", "text", "thinking"]);
  });

  test("OpenRouter's items are joined and stored as JSON", async () => {
    const item = (piece: object) => ({ type: "reasoning.text", index: 0, format: "anthropic-claude-v1", ...piece });
    const secret = { type: "reasoning.encrypted", index: 1, id: "call_1", data: "b3BhcXVl" };
    const { message } = await decode(
      answer(
        "tool_calls",
        chunk({ reasoning: "Let", reasoning_details: [item({ text: "Let", signature: null })] }),
        chunk({ reasoning: " me", reasoning_details: [item({ text: " me" })] }),
        chunk({ reasoning_details: [item({ text: "", signature: "c2ln" })] }),
        call({ index: 0, id: "call_1", name: "read", args: "{}" }),
        chunk({ reasoning_details: [secret, { ...secret, id: "call_2" }] }),
      ),
    );
    const [thought] = message.content;
    expect(message.content).toHaveLength(2);
    expect(thought).toMatchObject({ type: "thinking", thinking: "Let me" });
    expect(JSON.parse((thought as { thinkingSignature: string }).thinkingSignature)).toEqual([
      item({ text: "Let me", signature: "c2ln" }),
      secret,
      { ...secret, id: "call_2" },
    ]);
  });

  test("items without another field become the thought", async () => {
    const details = [{ type: "reasoning.summary", summary: "In short", index: 0 }];
    const { message } = await decode(answer("stop", chunk({ reasoning_details: details })));
    expect(message.content).toEqual([
      { type: "thinking", thinking: "In short", thinkingSignature: JSON.stringify(details) },
    ]);
  });

  test("encrypted items alone are stored in an empty thought", async () => {
    const details = [{ type: "reasoning.encrypted", data: "b3BhcXVl", index: 0 }];
    const { message } = await decode(answer("stop", chunk({ reasoning_details: details }), text("x")));
    expect(message.content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: JSON.stringify(details) },
      { type: "text", text: "x" },
    ]);
  });
});

describe("usage", () => {
  async function usageOf(usage: unknown, place: "chunk" | "choice" | "groq" = "chunk") {
    const last = { index: 0, delta: {}, finish_reason: "stop", ...(place === "choice" && { usage }) };
    const { message } = await decode(
      opening,
      event({ choices: [last], ...(place === "chunk" && { usage }), ...(place === "groq" && { x_groq: { usage } }) }),
      done,
    );
    const { input, output, cacheRead, cacheWrite } = message.usage;
    return { input, output, cacheRead, cacheWrite };
  }
  const plain = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

  test.each([
    ["plain", plain, { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 }],
    [
      "with cache reads and writes",
      { ...plain, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } },
      { input: 10, output: 10, cacheRead: 60, cacheWrite: 30 },
    ],
    [
      "DeepSeek's cache hits",
      { ...plain, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { input: 36, output: 10, cacheRead: 64, cacheWrite: 0 },
    ],
    [
      "Moonshot's cached tokens",
      { ...plain, cached_tokens: 40 },
      { input: 60, output: 10, cacheRead: 40, cacheWrite: 0 },
    ],
    [
      "reasoning inside the completion",
      { ...plain, completion_tokens_details: { reasoning_tokens: 8 } },
      { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 },
    ],
    [
      "reasoning beside the completion",
      { ...plain, total_tokens: 310, completion_tokens_details: { reasoning_tokens: 200 } },
      { input: 100, output: 210, cacheRead: 0, cacheWrite: 0 },
    ],
    [
      "more cached than sent",
      { ...plain, prompt_tokens_details: { cached_tokens: 160 } },
      { input: 0, output: 10, cacheRead: 160, cacheWrite: 0 },
    ],
    [
      "null and negative numbers",
      { prompt_tokens: null, completion_tokens: -3, prompt_tokens_details: null },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ],
    [
      "words instead of numbers",
      { prompt_tokens: "NaN", completion_tokens: {}, prompt_tokens_details: "x" },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ],
  ])("%s", async (_name, usage, expected) => {
    expect(await usageOf(usage)).toEqual(expected);
  });

  test.each(["choice", "groq"] as const)("in the %s", async (place) => {
    expect(await usageOf(plain, place)).toEqual({ input: 100, output: 10, cacheRead: 0, cacheWrite: 0 });
  });

  test("in every chunk: the last one wins", async () => {
    const counted = (content: string, completion_tokens: number) =>
      event({ choices: [{ delta: { content } }], usage: { prompt_tokens: 5, completion_tokens } });
    const { message } = await decode(opening, counted("a", 1), counted("b", 2), chunk({}, "stop"), done);
    expect(message.usage).toMatchObject({ input: 5, output: 2 });
  });

  test("the chunk with the statistics ends the answer without [DONE]", async () => {
    await using server = await startLoopbackServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(opening + text("x") + chunk({}, "stop") + statistics); // while the connection stays open
    });
    const { message } = await readChecked(streamModel({ ...gpt, baseUrl: server.url }, { messages: [] }));
    expect(message.usage.output).toBe(46);
  });
});
