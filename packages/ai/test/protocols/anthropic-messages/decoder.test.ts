import { describe, expect, test } from "bun:test";
import type { AssistantMessage } from "../../../src/messages.ts";
import { type StreamOptions, streamModel } from "../../../src/stream.ts";
import type { AssistantMessageEvent } from "../../../src/stream-events.ts";
import { sendEvents, startLoopbackServer } from "../../support/loopback-server.ts";
import {
  answer,
  blockDelta,
  blockStart,
  blockStop,
  claude,
  messageDelta,
  messageStart,
  messageStop,
  ping,
  sse,
  textBlock,
  thinkingBlock,
  toolInput,
  toolStart,
} from "../../support/protocols/anthropic-messages/samples.ts";

const ask = { messages: [{ role: "user" as const, content: "hi", timestamp: 1 }] };

/** Returns all events of one answer received over HTTP. */
async function eventsOf(body: string, options: StreamOptions = {}): Promise<AssistantMessageEvent[]> {
  await using server = await startLoopbackServer(sendEvents(body));
  const stream = streamModel({ ...claude, baseUrl: server.url }, ask, { now: () => 1000, ...options });
  return await Array.fromAsync(stream);
}

/** The events without their snapshots, for readability. */
function outline(events: AssistantMessageEvent[]): unknown[] {
  return events.map((event) => {
    if (event.type === "done") return ["done", event.reason];
    if (event.type === "error") return ["error", event.failure, event.error.errorMessage];
    if (event.type === "start") return ["start"];
    const detail = "delta" in event ? event.delta : "content" in event ? event.content : undefined;
    const call = event.type === "toolcall_end" ? event.toolCall : undefined;
    return [event.type, event.contentIndex, ...[detail ?? call].filter((value) => value !== undefined)];
  });
}

function final(events: AssistantMessageEvent[]): AssistantMessage {
  const last = events.at(-1);
  if (last?.type === "done") return last.message;
  if (last?.type === "error") return last.error;
  throw new Error("the stream has no terminal event");
}

const usage = {
  input: 25,
  output: 15,
  cacheRead: 2000,
  cacheWrite: 100,
  totalTokens: 2140,
  cost: {
    input: 0.000075,
    output: 0.000225,
    cacheRead: 0.0006,
    cacheWrite: 0.000375,
    total: 0.001275,
    totalFromProvider: false,
  },
};

test("thinking, text and a tool call arrive as events and as one message", async () => {
  const events = await eventsOf(
    answer(
      "tool_use",
      thinkingBlock(0, "Let me see.", "EqQBsig=="),
      blockStart(1, { type: "redacted_thinking", data: "EmwKopaque" }),
      blockStop(1),
      textBlock(2, "Hällo ", "wörld 🌍"),
      toolStart(3, "toolu_01", "read"),
      toolInput(3, ""),
      toolInput(3, '{"path": "a'),
      toolInput(3, '.txt"}'),
      blockStop(3),
    ),
  );
  const call = { type: "toolCall", id: "toolu_01", name: "read", arguments: { path: "a.txt" } } as const;
  expect(outline(events)).toEqual([
    ["start"],
    ["thinking_start", 0],
    ["thinking_delta", 0, "Let me see."],
    ["thinking_end", 0, "Let me see."],
    ["text_start", 2],
    ["text_delta", 2, "Hällo "],
    ["text_delta", 2, "wörld 🌍"],
    ["text_end", 2, "Hällo wörld 🌍"],
    ["toolcall_start", 3],
    ["toolcall_delta", 3, '{"path": "a'],
    ["toolcall_delta", 3, '.txt"}'],
    ["toolcall_end", 3, call],
    ["done", "toolUse"],
  ]);
  expect(final(events)).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Let me see.", thinkingSignature: "EqQBsig==" },
      { type: "redactedThinking", data: "EmwKopaque" },
      { type: "text", text: "Hällo wörld 🌍" },
      call,
    ],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-test",
    responseId: "msg_01XFDUDYJgAACzvnptvVoYEL",
    usage: { ...usage, cost: { ...usage.cost, total: expect.closeTo(usage.cost.total, 9) } },
    stopReason: "toolUse",
    timestamp: 1000,
    duration: 0,
    ttft: 0,
  });
});

test("the protocol's request is sent unchanged", async () => {
  await using server = await startLoopbackServer(sendEvents(answer("end_turn", textBlock(0, "ok"))));
  const options = { apiKey: "sk-ant-api03-key", cacheRetention: "none" as const };
  await streamModel({ ...claude, baseUrl: `${server.url}/v1/` }, ask, options).result();
  expect(server.requests.map(({ path, body, headers }) => [path, headers["x-api-key"], body])).toEqual([
    [
      "/v1/messages",
      "sk-ant-api03-key",
      {
        model: "claude-test",
        stream: true,
        max_tokens: 64_000,
        messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      },
    ],
  ]);
});

describe("blocks", () => {
  test("may interleave and are distinguished by their index", async () => {
    const events = await eventsOf(
      answer(
        "tool_use",
        toolStart(0, "toolu_a", "read"),
        toolStart(5, "toolu_b", "read"),
        toolInput(0, '{"path":'),
        toolInput(5, '{"path":"b'),
        toolInput(0, '"a"}'),
        blockStop(0),
        toolInput(5, '"}'),
        blockStop(5),
      ),
    );
    expect(final(events).content).toEqual([
      { type: "toolCall", id: "toolu_a", name: "read", arguments: { path: "a" } },
      { type: "toolCall", id: "toolu_b", name: "read", arguments: { path: "b" } },
    ]);
  });

  test("input that arrives whole with the start of the block is used", async () => {
    const body = answer("tool_use", toolStart(0, "toolu_a", "read", { path: "a.txt" }), blockStop(0));
    expect(outline(await eventsOf(body)).slice(1)).toEqual([
      ["toolcall_start", 0],
      ["toolcall_delta", 0, '{"path":"a.txt"}'],
      ["toolcall_end", 0, { type: "toolCall", id: "toolu_a", name: "read", arguments: { path: "a.txt" } }],
      ["done", "toolUse"],
    ]);
  });

  test("fragments of the input replace what came with the start", async () => {
    const body = answer(
      "tool_use",
      toolStart(0, "toolu_a", "read", { path: "draft" }),
      toolInput(0, '{"path":"final"}'),
      blockStop(0),
    );
    expect(final(await eventsOf(body)).content).toEqual([
      { type: "toolCall", id: "toolu_a", name: "read", arguments: { path: "final" } },
    ]);
  });

  test("a call without any input has no arguments", async () => {
    const body = answer("tool_use", toolStart(0, "toolu_a", "ls"), blockStop(0));
    expect(final(await eventsOf(body)).content).toEqual([
      { type: "toolCall", id: "toolu_a", name: "ls", arguments: {} },
    ]);
  });

  test("a call without id is a protocol error", async () => {
    const body = answer("tool_use", blockStart(0, { type: "tool_use", name: "ls", input: {} }), blockStop(0));
    expect(outline(await eventsOf(body)).at(-1)).toEqual([
      "error",
      { kind: "protocol" },
      "The server sent a tool call without id or name",
    ]);
  });

  test("text in the start of a block is kept", async () => {
    const body = answer(
      "end_turn",
      blockStart(0, { type: "thinking", thinking: "a", signature: "s" }),
      blockDelta(0, { type: "thinking_delta", thinking: "b" }),
      blockStop(0),
      blockStart(1, { type: "text", text: "c" }),
      blockDelta(1, { type: "text_delta", text: "d" }),
      blockStop(1),
    );
    expect(final(await eventsOf(body)).content).toEqual([
      { type: "thinking", thinking: "ab", thinkingSignature: "s" },
      { type: "text", text: "cd" },
    ]);
  });

  test("hidden thoughts are kept with their signature", async () => {
    expect(final(await eventsOf(answer("end_turn", thinkingBlock(0, "", "sig")))).content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: "sig" },
    ]);
  });

  test("a block that never stops ends with the message", async () => {
    const body = answer(
      "end_turn",
      blockStart(0, { type: "text", text: "" }),
      blockDelta(0, { type: "text_delta", text: "x" }),
    );
    expect(outline(await eventsOf(body)).slice(-3)).toEqual([
      ["text_delta", 0, "x"],
      ["text_end", 0, "x"],
      ["done", "stop"],
    ]);
  });

  test("unknown blocks, deltas and events, citations and pings are ignored", async () => {
    const body = answer(
      "end_turn",
      sse({ type: "message_mood", mood: "fine" }),
      sse({ type: "constructor" }),
      sse({ type: "__proto__" }),
      blockStart(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
      blockDelta(0, { type: "input_json_delta", partial_json: '{"query":' }),
      blockStop(0),
      blockStart(1, { type: "toString" }),
      blockDelta(1, { type: "text_delta", text: "lost" }),
      blockStop(1),
      blockStart(2, { type: "text", text: "" }),
      blockDelta(2, { type: "citations_delta", citation: { type: "char_location", cited_text: "x" } }),
      blockDelta(2, { type: "future_delta", text: "lost" }),
      blockDelta(2, { type: "valueOf" }),
      blockDelta(2, { type: "input_json_delta", partial_json: "lost" }),
      ping,
      blockDelta(2, { type: "text_delta", text: "kept" }),
      blockDelta(9, { type: "text_delta", text: "lost" }),
      blockStop(9),
      blockStop(2),
    );
    expect(final(await eventsOf(body)).content).toEqual([{ type: "text", text: "kept" }]);
  });

  test("events with missing parts do no harm", async () => {
    const body = [
      sse({ type: "message_start" }),
      sse({ type: "content_block_start", index: 0 }),
      sse({ type: "content_block_delta", index: 0 }),
      blockStart(1, { type: "text", text: null }),
      blockDelta(1, { type: "text_delta", text: null }),
      blockDelta(1, { type: "text_delta", text: "kept" }),
      sse({ type: "message_delta" }),
      sse({ type: "message_delta", delta: null, usage: null }),
      "data:\n\n",
      messageStop,
    ].join("");
    const message = final(await eventsOf(body));
    expect([message.content, message.stopReason]).toEqual([[{ type: "text", text: "kept" }], "stop"]);
  });

  test("event names are not needed, because the data has the type", async () => {
    const body = answer("end_turn", textBlock(0, "ok")).replaceAll(/^event: .*\n/gm, "");
    expect(final(await eventsOf(body)).content).toEqual([{ type: "text", text: "ok" }]);
  });
});

describe("stop reasons", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["tool_use", "toolUse"],
    ["invented_tomorrow", "stop"],
    ["constructor", "stop"],
  ])("%s is %s", async (wire, reason) => {
    expect(outline(await eventsOf(answer(wire, textBlock(0, "x")))).at(-1)).toEqual(["done", reason]);
  });

  test("without a reason, calls decide", async () => {
    const call = [toolStart(0, "toolu_a", "ls"), blockStop(0)].join("");
    expect(outline(await eventsOf(messageStart + call + messageStop)).at(-1)).toEqual(["done", "toolUse"]);
    expect(outline(await eventsOf(messageStart + textBlock(0, "x") + messageStop)).at(-1)).toEqual(["done", "stop"]);
  });

  test("a refusal is an error that names its category and keeps the text and the usage", async () => {
    const delta = sse({
      type: "message_delta",
      delta: {
        stop_reason: "refusal",
        stop_sequence: null,
        stop_details: { type: "refusal", category: "cyber", explanation: "Not this." },
      },
      usage: { output_tokens: 7 },
    });
    const events = await eventsOf(messageStart + textBlock(0, "I") + delta + messageStop);
    expect(outline(events).at(-1)).toEqual([
      "error",
      { kind: "refused" },
      "The model refused to answer (cyber): Not this.",
    ]);
    expect([final(events).content, final(events).usage.output]).toEqual([[{ type: "text", text: "I" }], 7]);
    expect(outline(await eventsOf(answer("refusal"))).at(-1)).toEqual([
      "error",
      { kind: "refused" },
      "The model refused to answer",
    ]);
  });

  test("the end of the context window is an overflow", async () => {
    expect(outline(await eventsOf(answer("model_context_window_exceeded", textBlock(0, "x")))).at(-1)).toEqual([
      "error",
      { kind: "overflow" },
      "model_context_window_exceeded: the answer reached the end of the context window",
    ]);
  });
});

describe("usage", () => {
  async function counts(...events: string[]): Promise<number[]> {
    const { usage } = final(await eventsOf([...events, messageStop].join("")));
    return [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.totalTokens];
  }
  const start = (usage: unknown) => sse({ type: "message_start", message: { id: "msg_1", usage } });
  const delta = (usage: unknown) => sse({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage });

  test("at the end replaces the one at the start", async () => {
    expect(await counts(messageStart, messageDelta("end_turn", 40), messageDelta("end_turn", 90))).toEqual([
      25, 90, 2000, 100, 2215,
    ]);
  });
  test("keeps known values for null and missing fields", async () => {
    const known = { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 6, cache_creation_input_tokens: 7 };
    const nulls = { input_tokens: null, cache_read_input_tokens: null, output_tokens: 9 };
    expect(await counts(start(known), delta(nulls), delta(null))).toEqual([5, 9, 6, 7, 27]);
  });
  test("invalid counts are zero", async () => {
    const odd = {
      input_tokens: "12",
      output_tokens: -3,
      cache_read_input_tokens: {},
      cache_creation_input_tokens: null,
    };
    expect(await counts(start(odd), delta(odd))).toEqual([0, 0, 0, 0, 0]);
  });
  test("is accepted from a server that reports it only at the end", async () => {
    expect(await counts(start(undefined), delta({ input_tokens: 3, output_tokens: 4 }))).toEqual([3, 4, 0, 0, 7]);
  });
});

describe("failures inside the stream", () => {
  const failureOf = async (...events: string[]) => outline(await eventsOf(events.join(""))).at(-1);

  test.each([
    ["overloaded_error", "Overloaded", { kind: "overloaded", status: 529 }],
    ["rate_limit_error", "slow down, try again in 20s", { kind: "rate_limit", status: 429, retryAfterMs: 20_000 }],
    ["api_error", "Internal server error", { kind: "server", status: 500 }],
    ["invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", { kind: "overflow", status: 400 }],
  ])("%s becomes a failure with its status", async (type, message, failure) => {
    const event = sse({ type: "error", error: { type, message } });
    expect(await failureOf(messageStart, event)).toEqual(["error", failure, `${type}: ${message}`]);
  });

  test("an error object without a type is still an error", async () => {
    const event = `data: ${JSON.stringify({ error: { type: "overloaded_error", message: "busy" } })}\n\n`;
    expect(await failureOf(messageStart, event)).toEqual([
      "error",
      { kind: "overloaded", status: 529 },
      "overloaded_error: busy",
    ]);
  });

  test("a plain-text error event is quoted", async () => {
    expect(await failureOf(messageStart, "event: error\ndata: upstream gone\n\n")).toEqual([
      "error",
      { kind: "server" },
      "upstream gone",
    ]);
  });

  test("data that is not JSON is quoted, bounded and without control characters", async () => {
    expect(await failureOf(messageStart, "data: <html>\u001b[31mred\n\n", ping)).toEqual([
      "error",
      { kind: "protocol" },
      'The server sent an event that is not a JSON object: "<html>\\u001b[31mred"',
    ]);
    expect(await failureOf(`data: ${"x".repeat(5000)}\n\n`, ping)).toEqual([
      "error",
      { kind: "protocol" },
      `The server sent an event that is not a JSON object: "${"x".repeat(200)}…"`,
    ]);
  });

  test.each(["null", "17", '"text"'])("the JSON value %s is not an event", async (data) => {
    const shown = JSON.stringify(data);
    expect(await failureOf(`data: ${data}\n\n`, ping)).toEqual([
      "error",
      { kind: "protocol" },
      `The server sent an event that is not a JSON object: ${shown}`,
    ]);
  });

  test.each<[string, string]>([
    ["between events", messageStart + textBlock(0, "x")],
    ["after the stop reason", messageStart + textBlock(0, "x") + messageDelta("end_turn")],
    ["in the middle of an event", messageStart + textBlock(0, "x") + messageDelta("end_turn").slice(0, 60)],
    ["before the first event", ""],
  ])("a body that ends %s is truncated, never a success", async (_where, body) => {
    expect(await failureOf(body)).toEqual(["error", { kind: "truncated" }, "Provider stream ended before completion"]);
  });

  test("a last event without its blank line is still read", async () => {
    const body = answer("end_turn", textBlock(0, "ok")).trimEnd();
    expect(outline(await eventsOf(body)).at(-1)).toEqual(["done", "stop"]);
  });

  test("what follows the terminal event is ignored", async () => {
    const body = answer("end_turn", textBlock(0, "ok"));
    expect(outline(await eventsOf(`${body}data: [DONE]\n\n`)).at(-1)).toEqual(["done", "stop"]);
  });
});
