import { describe, expect, test } from "bun:test";
import type { ProviderFailure } from "../../../src/errors.ts";
import { openaiResponses } from "../../../src/protocols/openai-responses/openai-responses.ts";
import { streamModel } from "../../../src/stream.ts";
import { type CheckedAnswer, readChecked } from "../../support/event-checker.ts";
import { sendEvents, startLoopbackServer } from "../../support/loopback-server.ts";
import {
  answer,
  call,
  callAdded,
  callDelta,
  completed,
  gpt6,
  itemAdded,
  itemDone,
  lifecycle,
  message,
  opening,
  reasoning,
  sse,
  summaryDelta,
  textDelta,
} from "../../support/protocols/openai-responses/samples.ts";

async function decode(...events: string[]): Promise<CheckedAnswer> {
  await using server = await startLoopbackServer(sendEvents(events.join("")));
  return await readChecked(streamModel({ ...gpt6, baseUrl: server.url }, { messages: [] }, { now: () => 0 }));
}

async function content(...events: string[]): Promise<unknown> {
  return (await decode(...events)).message.content;
}

const link = (id: string, more: object = {}) => JSON.stringify({ id, ...more });
const reasoningItem = (index: number, ...texts: string[]) =>
  JSON.stringify({
    type: "reasoning",
    id: `rs_${index}`,
    summary: texts.map((text) => ({ type: "summary_text", text })),
    encrypted_content: `gAAAA${index}==`,
  });

test("an ordinary answer, as a whole", async () => {
  const { message: whole, events } = await decode(
    answer(
      reasoning(0, ["First.", "Second."]),
      message(1, ["Hi", "!"], { phase: "commentary" }),
      call(2, "read", '{"path"', ':"a"}'),
    ),
  );
  expect(events.map((it) => ("contentIndex" in it ? `${it.contentIndex} ${it.type}` : it.type))).toEqual([
    "start",
    "0 thinking_start",
    "0 thinking_delta",
    "0 thinking_delta",
    "0 thinking_delta",
    "0 thinking_end",
    "1 text_start",
    "1 text_delta",
    "1 text_delta",
    "1 text_end",
    "2 toolcall_start",
    "2 toolcall_delta",
    "2 toolcall_delta",
    "2 toolcall_end",
    "done",
  ]);
  expect(whole).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "First.\n\nSecond.", thinkingSignature: reasoningItem(0, "First.", "Second.") },
      { type: "text", text: "Hi!", textSignature: link("msg_1", { after: "rs_0", phase: "commentary" }) },
      {
        type: "toolCall",
        id: "call_2",
        name: "read",
        arguments: { path: "a" },
        thoughtSignature: link("fc_2", { after: "rs_0" }),
      },
    ],
    api: "openai-responses",
    provider: "openai",
    model: "gpt-6-test",
    responseId: "resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654",
    usage: {
      input: 61,
      output: 46,
      cacheRead: 1024,
      cacheWrite: 32,
      totalTokens: 1163,
      reasoning: 20,
      cost: {
        input: 0.000122,
        output: 0.00046,
        cacheRead: 0.000512,
        cacheWrite: 0.00008,
        total: 0.001174,
        totalFromProvider: false,
      },
    },
    stopReason: "toolUse",
    timestamp: 0,
    duration: 0,
    ttft: 0,
  });
});

test("an answer is sent back unchanged", async () => {
  const { message: whole } = await decode(
    answer(reasoning(0, ["Hm"]), message(1, ["Hi"], { phase: "commentary" }), reasoning(2, []), call(3, "read", "{}")),
  );
  const { body } = openaiResponses.request(gpt6, { messages: [whole] }, {});
  expect((body as { input: unknown }).input).toEqual([
    JSON.parse(reasoningItem(0, "Hm")),
    {
      type: "message",
      role: "assistant",
      id: "msg_1",
      status: "completed",
      content: [{ type: "output_text", text: "Hi", annotations: [] }],
      phase: "commentary",
    },
    JSON.parse(reasoningItem(2)),
    { type: "function_call", id: "fc_3", call_id: "call_3", name: "read", arguments: "{}" },
  ]);
});

describe("reasoning", () => {
  test("without a summary is stored, to be sent back", async () => {
    expect(await content(answer(reasoning(0, []), message(1, ["x"])))).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: reasoningItem(0) },
      { type: "text", text: "x", textSignature: link("msg_1", { after: "rs_0" }) },
    ]);
  });

  test("that is not encrypted is not sent back; what follows records that it is missing", async () => {
    expect(await content(answer(reasoning(0, ["Hm"], null), message(1, ["x"])))).toEqual([
      { type: "thinking", thinking: "Hm" },
      { type: "text", text: "x", textSignature: link("msg_1", { after: "rs_0" }) },
    ]);
    expect(await content(answer(reasoning(0, [], null), message(1, ["x"])))).toEqual([
      { type: "text", text: "x", textSignature: link("msg_1", { after: "rs_0" }) },
    ]);
  });

  test("in plain text is also shown", async () => {
    const where = { output_index: 0, content_index: 0, item_id: "rs_0", sequence_number: 1 };
    const item = { id: "rs_0", type: "reasoning", summary: [] };
    expect(
      await content(
        opening,
        itemAdded(0, item),
        sse({ type: "response.reasoning_text.delta", ...where, delta: "Let me" }),
        sse({ type: "response.reasoning_text.delta", ...where, delta: " see" }),
        itemDone(0, { ...item, content: [{ type: "reasoning_text", text: "Let me see" }] }),
        completed,
      ),
    ).toEqual([{ type: "thinking", thinking: "Let me see" }]);
  });

  test("belongs to what follows it, not to what precedes it", async () => {
    const blocks = (await content(
      answer(
        message(0, ["x"]),
        reasoning(1, []),
        call(2, "a", "{}"),
        call(3, "b", "{}"),
        reasoning(4, []),
        call(5, "c"),
      ),
    )) as { textSignature?: string; thoughtSignature?: string }[];
    expect(blocks.flatMap((block) => block.textSignature ?? block.thoughtSignature ?? [])).toEqual([
      link("msg_0"),
      link("fc_2", { after: "rs_1" }),
      link("fc_3", { after: "rs_1" }),
      link("fc_5", { after: "rs_4" }),
    ]);
  });
});

describe("servers that omit fields", () => {
  const text = { type: "output_text", text: "Hi" };
  const refusal = { type: "refusal", refusal: "No." };
  test.each<[string, string[], unknown[]]>([
    [
      "the pieces of a text",
      [itemDone(0, { id: "msg_0", type: "message", content: [text, refusal] })],
      [{ type: "text", text: "Hi\n\nNo.", textSignature: link("msg_0") }],
    ],
    [
      "the pieces of a thought",
      [itemDone(0, { id: "rs_0", type: "reasoning", summary: [{ text: "A" }, { text: "B" }] })],
      [{ type: "thinking", thinking: "A\n\nB" }],
    ],
    [
      "the pieces of arguments",
      [itemDone(0, { type: "function_call", call_id: "c", name: "read", arguments: '{"x":1}' })],
      [{ type: "toolCall", id: "c", name: "read", arguments: { x: 1 } }],
    ],
    [
      "the start of items",
      [textDelta(0, "Hi"), callDelta(1, '{"x"'), itemDone(1, { type: "function_call", call_id: "c", name: "read" })],
      [
        { type: "text", text: "Hi" },
        { type: "toolCall", id: "c", name: "read", arguments: {} },
      ],
    ],
    ["the end of items", [itemAdded(0, { type: "message" }), textDelta(0, "Hi")], [{ type: "text", text: "Hi" }]],
    [
      "the id of a call",
      [itemDone(0, { type: "function_call", name: "read" }), itemDone(1, { type: "function_call", name: "read" })],
      [
        { type: "toolCall", id: "call_0", name: "read", arguments: {} },
        { type: "toolCall", id: "call_1", name: "read", arguments: {} },
      ],
    ],
    [
      "the name of a call at its start",
      [
        itemAdded(0, { type: "function_call", call_id: "c" }),
        callDelta(0, '{"x":1}'),
        itemDone(0, { type: "function_call", call_id: "c", name: "read", arguments: '{"x":1}' }),
      ],
      [{ type: "toolCall", id: "c", name: "read", arguments: { x: 1 } }],
    ],
    [
      "the number of items",
      [message(0, ["Hi"]), message(0, ["Bye"]), call(0, "read", "{}")],
      [
        { type: "text", text: "Hi", textSignature: link("msg_0") },
        { type: "text", text: "Bye", textSignature: link("msg_0") },
        { type: "toolCall", id: "call_0", name: "read", arguments: {}, thoughtSignature: link("fc_0") },
      ],
    ],
    [
      "the number and the end of items",
      [summaryDelta(0, "Hm"), textDelta(0, "Hi"), itemDone(0, { type: "reasoning", id: "rs_0", summary: [] })],
      [
        { type: "thinking", thinking: "Hm" },
        { type: "text", text: "Hi" },
      ],
    ],
    [
      "the number, the start and the end of items",
      [textDelta(0, "Hi"), itemDone(0, { type: "function_call", call_id: "c", name: "read", arguments: '{"x":1}' })],
      [
        { type: "text", text: "Hi" },
        { type: "toolCall", id: "c", name: "read", arguments: { x: 1 } },
      ],
    ],
    ["everything but empty items", [itemDone(0, { id: "msg_0", type: "message", content: [] })], []],
    ["everything we know", [itemAdded(0, { type: "web_search_call" }), itemDone(0, { type: "web_search_call" })], []],
  ])("%s", async (_name, events, expected) => {
    expect(await content(answer(...events))).toEqual(expected);
  });

  test("all events but the last one", async () => {
    const output = [
      { id: "msg_0", type: "message", content: [text] },
      { id: "fc_1", type: "function_call", call_id: "c", name: "read", arguments: "{}" },
    ];
    const { message: whole } = await decode(lifecycle("response.completed", { status: "completed", output }));
    expect(whole).toMatchObject({
      content: [
        { type: "text", text: "Hi" },
        { type: "toolCall", id: "c" },
      ],
      stopReason: "toolUse",
    });
  });

  test("but never the name of a call", async () => {
    const { failure } = await decode(answer(itemDone(0, { type: "function_call", call_id: "c", arguments: "{}" })));
    expect(failure).toEqual({ kind: "protocol" });
  });

  test("the last response is not repeated", async () => {
    const output = [{ id: "msg_0", type: "message", content: [text] }];
    const last = lifecycle("response.completed", { status: "completed", output });
    expect(await content(opening, message(0, ["Hi"]), last)).toMatchObject([{ type: "text", text: "Hi" }]);
  });
});

test("the parts of a message are paragraphs", async () => {
  const refused = { type: "response.refusal.delta", output_index: 0, content_index: 1, delta: "No." };
  expect(await content(answer(textDelta(0, "Hel"), textDelta(0, "lo"), sse(refused)))).toEqual([
    { type: "text", text: "Hello\n\nNo." },
  ]);
});

describe("the end", () => {
  const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };

  test("at the token limit is a truncated answer, and a truncated call is dropped", async () => {
    const { message: whole } = await decode(
      opening,
      callAdded(0, "read"),
      callDelta(0, '{"path":"a'),
      lifecycle("response.incomplete", cut),
    );
    expect(whole).toMatchObject({
      stopReason: "length",
      content: [{ arguments: {}, argumentsError: expect.stringContaining("not valid JSON") }],
    });
    expect(whole.content[0]).not.toHaveProperty("thoughtSignature");
  });

  test.each(["response.incomplete", "response.completed"])("%s uses the status inside", async (type) => {
    expect((await decode(opening, message(0, ["x"]), lifecycle(type, cut))).message.stopReason).toBe("length");
  });

  test("by a filter is a refusal", async () => {
    const filtered = { status: "incomplete", incomplete_details: { reason: "content_filter" } };
    const { failure, message: whole } = await decode(
      opening,
      textDelta(0, "x"),
      lifecycle("response.incomplete", filtered),
    );
    expect(failure).toEqual({ kind: "refused" });
    expect(whole.content).toEqual([{ type: "text", text: "x" }]);
  });

  test("[DONE] and an empty event are ignored", async () => {
    expect(
      (await decode(opening, "data: [DONE]\n\n", "data:\n\n", message(0, ["x"]), completed)).failure,
    ).toBeUndefined();
  });
});

describe("errors", () => {
  test.each<[string, string, ProviderFailure]>([
    ["server_error", "The server had an error", { kind: "server", status: 500 }],
    [
      "rate_limit_exceeded",
      "Rate limit reached. Please try again in 1.5s.",
      { kind: "rate_limit", status: 429, retryAfterMs: 1500 },
    ],
    ["insufficient_quota", "You exceeded your current quota", { kind: "quota", status: 402 }],
    ["context_length_exceeded", "Your input exceeds the context window of this model.", { kind: "overflow" }],
    ["invalid_prompt", "Your prompt was flagged.", { kind: "refused" }],
    ["bio_policy", "Not this.", { kind: "refused" }],
    ["invalid_base64_image", "Bad image.", { kind: "invalid_request" }],
    ["image_too_large", "Large image.", { kind: "invalid_request" }],
    ["slow_down", "Slow down. Please try again in 2s.", { kind: "overloaded", retryAfterMs: 2000 }],
    ["vector_store_timeout", "Timed out.", { kind: "server", status: 504 }],
    ["brand_new_code", "Who knows.", { kind: "server" }],
  ])("%s, as an event or as the end", async (code, text, failure) => {
    const error = { code, message: text, param: null };
    for (const end of [
      sse({ type: "error", sequence_number: 3, ...error }),
      sse({ type: "error", sequence_number: 3, error: { ...error, type: null } }),
      lifecycle("response.failed", { status: "failed", error }),
    ]) {
      const { failure: found, message: whole } = await decode(opening, end);
      expect(found).toEqual(failure);
      expect(whole.errorMessage).toBe(`${code}: ${text}`);
    }
  });

  test.each([
    ["nothing", lifecycle("response.failed", { status: "failed" })],
    ["no response", sse({ type: "response.failed", response: null })],
  ])("a failed end with %s", async (_name, end) => {
    const { failure, message: whole } = await decode(opening, end);
    expect(failure).toEqual({ kind: "server" });
    expect(whole.errorMessage).toBe("The provider ended the answer with an error");
  });

  test("a failed end still has its usage", async () => {
    const usage = { input_tokens: 7, output_tokens: 3 };
    const { message: whole } = await decode(opening, lifecycle("response.failed", { status: "failed", usage }));
    expect(whole.usage).toMatchObject({ input: 7, output: 3, totalTokens: 10 });
  });

  test("an error event that is not JSON", async () => {
    const { failure, message: whole } = await decode(opening, "event: error\ndata: upstream is gone\n\n");
    expect(failure).toEqual({ kind: "server" });
    expect(whole.errorMessage).toBe("upstream is gone");
  });

  test("an error event that is the error", async () => {
    const named = 'event: error\ndata: {"message":"Slow","code":"slow_down"}\n\n';
    expect((await decode(opening, named)).failure).toEqual({ kind: "overloaded" });
  });

  test("an error without a type, as proxies send it", async () => {
    const proxied = `data: ${JSON.stringify({ error: { message: "No capacity", type: "overloaded_error" } })}\n\n`;
    expect((await decode(opening, proxied)).failure).toEqual({ kind: "overloaded", status: 529 });
  });
});
