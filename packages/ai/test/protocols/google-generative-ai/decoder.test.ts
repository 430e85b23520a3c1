import { describe, expect, test } from "bun:test";
import type { ProviderFailure } from "../../../src/errors.ts";
import type { ProviderMessage } from "../../../src/messages.ts";
import { googleGenerativeAi } from "../../../src/protocols/google-generative-ai/google-generative-ai.ts";
import { streamModel } from "../../../src/stream.ts";
import { type CheckedAnswer, readChecked } from "../../support/event-checker.ts";
import { sendEvents, sendEventsAndHang, sendStatus, startLoopbackServer } from "../../support/loopback-server.ts";
import { assistantMessage } from "../../support/protocols/anthropic-messages/samples.ts";
import { call, chunk, event, gemini, last, USAGE } from "../../support/protocols/google-generative-ai/samples.ts";

async function decodeIn(messages: ProviderMessage[], ...events: string[]): Promise<CheckedAnswer> {
  await using server = await startLoopbackServer(sendEvents(events.join("")));
  return await readChecked(streamModel({ ...gemini, baseUrl: server.url }, { messages }, { now: () => 0 }));
}

function decode(...events: string[]): Promise<CheckedAnswer> {
  return decodeIn([], ...events);
}

async function content(...events: string[]): Promise<unknown> {
  return (await decode(...events)).message.content;
}

test("an ordinary answer, as a whole", async () => {
  const { message, events } = await decode(
    chunk({ text: "Let me", thought: true }),
    chunk({ text: " see", thought: true }),
    chunk({ text: "Hi" }),
    chunk({ text: "!" }, call("read", { path: "a" }, { thoughtSignature: "c2ln" }), call("grep", {})),
    last("STOP", [{ text: "" }]),
  );
  expect(events.map((it) => ("contentIndex" in it ? `${it.contentIndex} ${it.type}` : it.type))).toEqual([
    "start",
    "0 thinking_start",
    "0 thinking_delta",
    "0 thinking_delta",
    "0 thinking_end",
    "1 text_start",
    "1 text_delta",
    "1 text_delta",
    "1 text_end",
    "2 toolcall_start",
    "2 toolcall_delta",
    "2 toolcall_end",
    "3 toolcall_start",
    "3 toolcall_delta",
    "3 toolcall_end",
    "done",
  ]);
  expect(message).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Let me see" },
      { type: "text", text: "Hi!" },
      { type: "toolCall", id: "id-read", name: "read", arguments: { path: "a" }, thoughtSignature: "c2ln" },
      { type: "toolCall", id: "id-grep", name: "grep", arguments: {} },
    ],
    api: "google-generative-ai",
    provider: "google",
    model: "gemini-3.8-test",
    responseId: "Il0taoSYJ5Cez7IP",
    usage: {
      input: 93,
      output: 46,
      cacheRead: 1024,
      cacheWrite: 0,
      totalTokens: 1163,
      reasoning: 20,
      cost: {
        input: 0.000093,
        output: 0.00023,
        cacheRead: 0.000512,
        cacheWrite: 0,
        total: 0.000835,
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
  const parts = [
    { text: "Hm", thought: true, thoughtSignature: "YQ==" },
    { text: "I read.", thoughtSignature: "Yg==" },
    call("read", { path: "a" }, { thoughtSignature: "Yw==" }),
    call("grep", {}),
  ];
  const { message } = await decode(chunk(...parts), last("STOP"));
  const { body } = googleGenerativeAi.request(gemini, { messages: [message] }, {});
  expect((body as { contents: unknown[] }).contents[1]).toEqual({ role: "model", parts });
});

describe("signatures", () => {
  test("of text, alone in the last part", async () => {
    expect(await content(chunk({ text: "Hi" }), last("STOP", [{ text: "", thoughtSignature: "c2ln" }]))).toEqual([
      { type: "text", text: "Hi", textSignature: "c2ln" },
    ]);
    expect(await content(chunk({ text: "Hi" }), last("STOP", [{ thoughtSignature: "c2ln" }]))).toEqual([
      { type: "text", text: "Hi", textSignature: "c2ln" },
    ]);
  });

  test("of a thought and of a text with words", async () => {
    const thought = { text: "Hm", thought: true, thoughtSignature: "YQ==" };
    expect(await content(chunk(thought), last("STOP", [{ text: "Hi", thoughtSignature: "Yg==" }]))).toEqual([
      { type: "thinking", thinking: "Hm", thinkingSignature: "YQ==" },
      { type: "text", text: "Hi", textSignature: "Yg==" },
    ]);
  });

  test("of nothing", async () => {
    expect(await content(last("STOP", [{ text: "", thoughtSignature: "c2ln" }]))).toEqual([]);
  });
});

describe("ids of calls", () => {
  const unnamed = { functionCall: { name: "read", args: {} } };

  test("are generated if the server sends none, the same for the same answer", async () => {
    const { message } = await decode(chunk(unnamed, unnamed), last("STOP"));
    expect(message.content).toMatchObject([{ id: "Il0taoSYJ5Cez7IP_1" }, { id: "Il0taoSYJ5Cez7IP_2" }]);
  });

  test("differ from those already in the conversation", async () => {
    const bare = (...parts: object[]) => event({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
    const before = assistantMessage([{ type: "toolCall", id: "call_1", name: "read", arguments: {} }]);
    const { message } = await decodeIn([before], bare(unnamed, unnamed));
    expect(message.content).toMatchObject([{ id: "call_1_2" }, { id: "call_2" }]);
  });
});

describe("calls", () => {
  test.each<[string, unknown, object]>([
    ["without arguments", undefined, { arguments: {} }],
    ["with null", null, { arguments: {} }],
    ["with text, as some gateways send it", '{"x":1}', { arguments: { x: 1 } }],
    ["with cut text", '{"x":', { arguments: {}, argumentsError: expect.stringContaining("not valid JSON") }],
    ["with a list", [1], { arguments: {}, argumentsError: expect.stringContaining("must be a JSON object") }],
  ])("%s", async (_name, args, expected) => {
    const part = { functionCall: { name: "read", id: "a", ...(args !== undefined && { args }) } };
    expect(await content(chunk(part), last("STOP"))).toEqual([
      { type: "toolCall", id: "a", name: "read", ...expected },
    ]);
  });

  test("without a name are refused", async () => {
    expect((await decode(chunk({ functionCall: { args: {} } }), last("STOP"))).failure).toEqual({ kind: "protocol" });
  });

  test("of a truncated answer do not run", async () => {
    expect((await decode(chunk(call("read", {})), last("MAX_TOKENS"))).message.stopReason).toBe("length");
  });
});

test("parts of other kinds are left out", async () => {
  const parts = [{ inlineData: { mimeType: "image/png", data: "aGk=" } }, { executableCode: { code: "1" } }, null];
  expect(await content(chunk(...(parts as object[]), { text: "Hi" }), last("STOP"))).toEqual([
    { type: "text", text: "Hi" },
  ]);
});

describe("the end", () => {
  const stamped = (text: string) => last("STOP", [{ text }]);

  test("is ignored while every chunk claims to be the last", async () => {
    expect(await content(stamped("Hel"), stamped("lo"), stamped("!"))).toEqual([{ type: "text", text: "Hello!" }]);
  });

  test("is revoked by what follows it", async () => {
    expect(await content(last("STOP"), last("STOP"), chunk({ text: "Hi" }), last("STOP"))).toEqual([
      { type: "text", text: "Hi" },
    ]);
    const { failure } = await decode(last("STOP"), chunk({ text: "Hi" }));
    expect(failure).toEqual({ kind: "truncated" });
  });

  test("may precede the statistics, which end an answer that is not closed", async () => {
    const bare = event({ candidates: [{ finishReason: "STOP" }] });
    const text = [chunk({ text: "Hi" }), bare, event({ usageMetadata: USAGE })].join("");
    await using server = await startLoopbackServer(sendEventsAndHang(text));
    const model = { ...gemini, baseUrl: server.url };
    const { message } = await readChecked(streamModel(model, { messages: [] }, { idleTimeoutMs: 0 }));
    expect(message).toMatchObject({ stopReason: "stop", usage: { output: 46 } });
  });

  test.each<[string, string]>([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["CONTINUATION", "length"],
  ])("%s", async (reason, stopReason) => {
    expect((await decode(chunk({ text: "x" }), last(reason))).message.stopReason as string).toBe(stopReason);
  });

  test.each<[string, ProviderFailure["kind"]]>([
    ["SAFETY", "refused"],
    ["RECITATION", "refused"],
    ["PROHIBITED_CONTENT", "refused"],
    ["FINISH_REASON_UNSPECIFIED", "server"],
    ["SOMETHING_NEW", "protocol"],
    ["constructor", "protocol"],
    ["MALFORMED_FUNCTION_CALL", "server"],
    ["UNEXPECTED_TOOL_CALL", "server"],
    ["OTHER", "server"],
    ["MISSING_THOUGHT_SIGNATURE", "invalid_request"],
  ])("%s is an error of kind %s that keeps the text", async (reason, kind) => {
    const { failure, message } = await decode(
      chunk({ text: "x" }),
      last(reason, [], { finishMessage: "In the vendor's words" }),
    );
    expect(failure).toEqual({ kind });
    expect(message.errorMessage).toEndWith(`(${reason}): In the vendor's words`);
    expect(message.content).toEqual([{ type: "text", text: "x" }]);
  });

  test("a prompt that is blocked is a refusal", async () => {
    const { failure, message } = await decode(
      event({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 3 } }),
    );
    expect(failure).toEqual({ kind: "refused" });
    expect(message.errorMessage).toBe("The provider refused the prompt (PROHIBITED_CONTENT)");
  });

  test("lines end with CRLF, as the vendor sends them", async () => {
    const text = [chunk({ text: "Hi" }), last("STOP")].join("").replaceAll("\n", "\r\n");
    expect(await content(text, "data: [DONE]\r\n\r\n")).toEqual([{ type: "text", text: "Hi" }]);
  });
});

describe("usage", () => {
  async function usage(usageMetadata: object) {
    const { message } = await decode(event({ candidates: [{ finishReason: "STOP" }], usageMetadata }));
    const { input, output, cacheRead, totalTokens } = message.usage;
    return { input, output, cacheRead, totalTokens };
  }

  test("thoughts are output and counted once", async () => {
    const base = { promptTokenCount: 100, candidatesTokenCount: 30, thoughtsTokenCount: 20 };
    const once = { input: 100, cacheRead: 0 };
    expect(await usage({ ...base, totalTokenCount: 150 })).toEqual({ ...once, output: 50, totalTokens: 150 });
    expect(await usage({ ...base, totalTokenCount: 130 })).toEqual({ ...once, output: 30, totalTokens: 130 });
    expect(await usage(base)).toEqual({ ...once, output: 50, totalTokens: 150 });
  });

  test("tokens from the cache are not input", async () => {
    expect(await usage({ promptTokenCount: 100, cachedContentTokenCount: 90, toolUsePromptTokenCount: 5 })).toEqual({
      input: 15,
      output: 0,
      cacheRead: 90,
      totalTokens: 105,
    });
  });
});

describe("errors", () => {
  const quota = "You exceeded your current quota, please check your plan and billing details.";

  test.each<[string, object, ProviderFailure]>([
    ["with its number", { code: 500, message: "Internal", status: "INTERNAL" }, { kind: "server", status: 500 }],
    [
      "with its name alone",
      { message: "Slow down", status: "RESOURCE_EXHAUSTED" },
      { kind: "rate_limit", status: 429 },
    ],
    [
      "with a time to wait",
      {
        code: 429,
        message: quota,
        status: "RESOURCE_EXHAUSTED",
        details: [
          { "@type": "type.googleapis.com/google.rpc.Help" },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.074s" },
        ],
      },
      { kind: "quota", status: 429, retryAfterMs: 34_074 },
    ],
    [
      "about the window",
      {
        code: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
      { kind: "overflow", status: 400 },
    ],
    ["that is nothing known", { what: "ever" }, { kind: "server" }],
  ])("inside the stream, %s", async (_name, error, failure) => {
    expect((await decode(chunk({ text: "x" }), event({ error }))).failure).toEqual(failure);
  });

  test("as a list and with a retry hint, for a status", async () => {
    const error = { code: 429, message: `${quota} Please retry in 34.07s.`, status: "RESOURCE_EXHAUSTED" };
    await using server = await startLoopbackServer(sendStatus(429, JSON.stringify([{ error }])));
    const { failure } = await readChecked(streamModel({ ...gemini, baseUrl: server.url }, { messages: [] }));
    expect(failure).toEqual({ kind: "quota", status: 429, retryAfterMs: 34_070 });
  });
});
