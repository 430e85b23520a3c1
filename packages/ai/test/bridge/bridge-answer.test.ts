import { describe, expect, test } from "bun:test";
import { type StreamOptions, streamModel } from "../../src/stream.ts";
import { cloudModel, fakePackage, finish, streamOf, type Version } from "../support/bridge/fake-package.ts";
import { readChecked } from "../support/event-checker.ts";

const VERSIONS: Version[] = ["v2", "v3", "v4"];

async function answer(
  parts: Parameters<typeof fakePackage>[0]["parts"],
  version: Version = "v3",
  more: StreamOptions = {},
) {
  const { providerPackage } = fakePackage({ version, ...(parts && { parts }) });
  return readChecked(streamModel(cloudModel, { messages: [] }, { providerPackage, now: () => 0, ...more }));
}

const text = (delta: string, id = "0") => [
  { type: "text-start", id },
  { type: "text-delta", id, delta },
  { type: "text-end", id },
];

describe("an answer", () => {
  test.each(VERSIONS)("of thoughts, text and a tool call, in %s", async (version) => {
    const { events, message } = await answer(
      [
        { type: "stream-start", warnings: [{ type: "other", message: "odd setting" }] },
        { type: "response-metadata", id: "resp_1", modelId: "m-1-2026" },
        { type: "raw", rawValue: { anything: 1 } },
        { type: "reasoning-start", id: "0" },
        { type: "reasoning-delta", id: "0", delta: "Let me " },
        { type: "reasoning-delta", id: "0", delta: "think" },
        { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { anthropic: { signature: "sig==" } } },
        { type: "reasoning-end", id: "0" },
        { type: "text-start", id: "1", providerMetadata: { openai: { itemId: "msg_1" } } },
        { type: "text-delta", id: "1", delta: "Grüße 🌍" },
        { type: "text-end", id: "1" },
        { type: "tool-input-start", id: "call_1", toolName: "read" },
        { type: "tool-input-delta", id: "call_1", delta: '{"path":' },
        { type: "tool-input-delta", id: "call_1", delta: '"a.txt"}' },
        { type: "tool-input-end", id: "call_1" },
        {
          type: "tool-call",
          toolCallId: "call_1",
          toolName: "read",
          input: '{"path":"a.txt"}',
          providerMetadata: { google: { thoughtSignature: "c2ln" } },
        },
        { type: "custom", kind: "vendor.thing" },
        { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
        { type: "something-new", id: "0" },
        finish(version, "tool-calls"),
      ],
      version,
    );
    expect(message).toMatchObject({
      responseId: "resp_1",
      stopReason: "toolUse",
      content: [
        { type: "thinking", thinking: "Let me think", thinkingSignature: '{"anthropic":{"signature":"sig=="}}' },
        { type: "text", text: "Grüße 🌍", textSignature: '{"openai":{"itemId":"msg_1"}}' },
        {
          type: "toolCall",
          id: "call_1",
          name: "read",
          arguments: { path: "a.txt" },
          thoughtSignature: '{"google":{"thoughtSignature":"c2ln"}}',
        },
      ],
    });
    expect(events.filter(({ type }) => type === "toolcall_delta")).toHaveLength(2);
  });

  test("with whole calls, two at once, and one of the vendor's own tools", async () => {
    const { message } = await answer([
      { type: "tool-call", toolCallId: "a", toolName: "read", input: '{"path":"x"}' },
      { type: "tool-input-start", id: "v", toolName: "web_search", providerExecuted: true },
      { type: "tool-input-delta", id: "v", delta: "{}" },
      { type: "tool-call", toolCallId: "v", toolName: "web_search", input: "{}", providerExecuted: true },
      { type: "tool-result", toolCallId: "v", toolName: "web_search", result: {} },
      { type: "tool-call", toolCallId: "b", toolName: "ls", input: {} },
      finish("v3", "stop"),
    ]);
    expect(message.stopReason).toBe("toolUse");
    expect(message.content).toEqual([
      { type: "toolCall", id: "a", name: "read", arguments: { path: "x" } },
      { type: "toolCall", id: "b", name: "ls", arguments: {} },
    ]);
  });

  test("with two interleaved calls that share an id has both, with distinct ids", async () => {
    const start = (toolName: string) => ({ type: "tool-input-start", id: "c", toolName });
    const delta = (text: string) => ({ type: "tool-input-delta", id: "c", delta: text });
    const call = (toolName: string, input: string) => ({ type: "tool-call", toolCallId: "c", toolName, input });
    const [one, two] = ['{"path":"x"}', '{"path":"y"}'];
    const orders = [
      [start("read"), start("read"), delta('{"path":'), delta('{"path":'), call("read", one), call("read", two)],
      [
        start("read"),
        delta('{"pa'),
        start("read"),
        delta('th":"x"}'),
        delta(two),
        call("read", one),
        call("read", two),
      ],
      [start("read"), delta(one), start("read"), call("read", one), delta(two), call("read", two)],
      [start("read"), delta('{"pa'), start("ls"), delta(two), call("ls", two), call("read", one)],
    ];
    for (const parts of orders) {
      const { message } = await answer([...parts, finish("v3", "tool-calls")]);
      const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [block] : []));
      expect(calls.map(({ id }) => id)).toEqual(["c", "c_2"]);
      expect(calls.map(({ arguments: args }) => args)).toEqual([{ path: "x" }, { path: "y" }]);
    }
  });

  test("with hidden thoughts keeps what must be sent back", async () => {
    const { message } = await answer([
      { type: "reasoning-start", id: "0", providerMetadata: { anthropic: { redactedData: "abc" } } },
      { type: "reasoning-end", id: "0" },
      ...text("Hi"),
      finish("v3", "stop"),
    ]);
    expect(message.content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: '{"anthropic":{"redactedData":"abc"}}' },
      { type: "text", text: "Hi" },
    ]);
  });

  test("with arguments that are not JSON contains a call that never runs", async () => {
    const { message } = await answer([
      { type: "tool-input-start", id: "a", toolName: "read" },
      { type: "tool-input-delta", id: "a", delta: '{"path":' },
      finish("v3", "tool-calls"),
    ]);
    expect(message.content[0]).toMatchObject({
      arguments: {},
      argumentsError: expect.stringContaining("not valid JSON"),
    });
  });
});

describe("usage", () => {
  const tokens = { input: 50, output: 20, cacheRead: 40, cacheWrite: 10 };
  test.each([
    ["split by kind", "v3", finish("v3", "stop"), tokens],
    [
      "split, but without what was not cached",
      "v4",
      {
        ...finish("v4", "stop"),
        usage: { inputTokens: { total: 100, cacheRead: 40, cacheWrite: 10 }, outputTokens: { total: 20 } },
      },
      tokens,
    ],
    ["in one number", "v2", finish("v2", "stop"), { input: 60, output: 20, cacheRead: 40, cacheWrite: 0 }],
    [
      "of Claude, which counts the cache apart",
      "v2",
      finish("v2", "stop", { providerMetadata: { anthropic: { cacheCreationInputTokens: 10 } } }),
      { input: 100, output: 20, cacheRead: 40, cacheWrite: 10 },
    ],
    [
      "with what Bedrock has written",
      "v2",
      finish("v2", "stop", { providerMetadata: { bedrock: { usage: { cacheWriteInputTokens: 7 } } } }),
      { output: 20, cacheRead: 40, cacheWrite: 7 },
    ],
    [
      "that is missing",
      "v3",
      { ...finish("v3", "stop"), usage: undefined },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ],
    [
      "that is nonsense",
      "v3",
      { ...finish("v3", "stop"), usage: { inputTokens: { total: "9" }, outputTokens: null } },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ],
  ] as [string, Version, object, object][])("%s", async (_name, version, last, expected) => {
    const { message } = await answer([...text("Hi"), last], version);
    expect(message.usage).toMatchObject(expected);
  });

  test.each([
    ["amazon-bedrock", { input: 100, cacheRead: 40 }],
    ["azure.responses", { input: 60, cacheRead: 40 }],
    [undefined, { input: 60, cacheRead: 40 }],
  ])("as one number, from %p", async (provider, expected) => {
    const parts = [...text("Hi"), finish("v2", "stop")];
    const { providerPackage } = fakePackage({ version: "v2", ...(provider && { provider }), parts });
    const { usage } = await streamModel(cloudModel, { messages: [] }, { providerPackage }).result();
    expect(usage).toMatchObject(expected);
  });

  test("has its price", async () => {
    const { message } = await answer([...text("Hi"), finish("v3", "stop")]);
    expect(message.usage.cost.total).toBeCloseTo((50 + 200 + 4 + 20) / 1_000_000, 12);
  });
});

describe("the end", () => {
  test.each([
    ["v2", "stop", "stop"],
    ["v2", "length", "length"],
    ["v2", "other", "stop"],
    ["v3", "length", "length"],
    ["v4", "other", "stop"],
  ] as [Version, string, string][])("%s %s is %s", async (version, reason, expected) => {
    expect((await answer([...text("Hi"), finish(version, reason)], version)).message.stopReason).toBe(
      expected as never,
    );
  });

  test.each([
    ["no finish", "v3", [], "truncated"],
    ["no reason in v2", "v2", [finish("v2", "unknown")], "truncated"],
    [
      "no reason in v3",
      "v3",
      [{ ...finish("v3", "other"), finishReason: { unified: "other", raw: undefined } }],
      "truncated",
    ],
    ["an interruption", "v4", [finish("v4", "interrupted")], "truncated"],
    ["a reason nobody knows", "v3", [finish("v3", "constructor")], "truncated"],
    ["an error without one", "v3", [finish("v3", "error")], "server"],
    ["a filter", "v3", [finish("v3", "content-filter")], "refused"],
  ] as [string, Version, object[], string][])(
    "%s is an error that keeps the text",
    async (_name, version, parts, kind) => {
      const { message, failure } = await answer([...text("Hal"), ...parts], version);
      expect(failure?.kind).toBe(kind as never);
      expect(message.content).toEqual([{ type: "text", text: "Hal" }]);
    },
  );
});

/** As the SDK creates them: facts are properties, kinds are names. */
function sdkError(name: string, message: string, facts: object = {}): Error {
  return Object.assign(new Error(message), { name, ...facts });
}
const overloaded = {
  statusCode: 529,
  isRetryable: true,
  responseHeaders: { "retry-after": "7", "set-cookie": "secret" },
  responseBody: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
};
const validation = sdkError("AI_TypeValidationError", "Type validation failed: Value: {…}");

describe("errors", () => {
  const cases: [string, unknown, object, string][] = [
    [
      "an answer with its status and hint",
      sdkError("AI_APICallError", "Overloaded", overloaded),
      { kind: "overloaded", status: 529, retryAfterMs: 7000 },
      "HTTP 529: Overloaded",
    ],
    [
      "a status without a body",
      sdkError("AI_APICallError", "Unauthorized", { statusCode: 401, isRetryable: false }),
      { kind: "auth", status: 401 },
      "HTTP 401: Unauthorized",
    ],
    [
      "no connection",
      sdkError("AI_APICallError", "Cannot connect to API: refused", { isRetryable: true }),
      { kind: "network" },
      "Cannot connect to API: refused",
    ],
    [
      "a socket's error",
      Object.assign(new Error("gone"), { code: "ECONNRESET" }),
      { kind: "network" },
      "connection reset",
    ],
    ["no key", sdkError("AI_LoadAPIKeyError", "AWS key is missing"), { kind: "auth" }, "AWS key is missing"],
    ["an unknown model", sdkError("AI_NoSuchModelError", "No such model"), { kind: "not_found" }, "No such model"],
    ["a mistake in the package", new TypeError("x is not a function"), { kind: "protocol" }, "x is not a function"],
    [
      "an error object of the vendor",
      { type: "rate_limit_error", message: "slow down" },
      { kind: "rate_limit", status: 429 },
      "rate_limit_error: slow down",
    ],
    ["words", "it broke", { kind: "server" }, "it broke"],
    ["nothing", undefined, { kind: "server" }, "The provider ended the answer with an error"],
  ];

  test.each(cases)("in the stream: %s", async (_name, error, failure, message) => {
    const result = await answer([...text("Hal"), { type: "error", error }, finish("v3", "error")]);
    expect(result.failure).toEqual(failure as never);
    expect(result.message.errorMessage).toContain(message);
    expect(result.message.content).toEqual([{ type: "text", text: "Hal" }]);
  });

  test.each(cases)("before it: %s", async (_name, error, failure, message) => {
    const result = await answer(() => Promise.reject(error));
    expect(result.failure).toEqual(failure as never);
    expect(result.message.errorMessage).toContain(message);
  });

  test("an invalid part is not an error while the stream continues", async () => {
    const { message } = await answer([{ type: "error", error: validation }, ...text("Hi"), finish("v3", "stop")]);
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "Hi" }] });
  });

  test.each([
    ["ends with an error", [finish("v3", "error")]],
    ["does not end", []],
  ])("but it is the reason if the stream %s", async (_how, parts) => {
    const wrapped = sdkError("AI_Wrapper", "wrapped", { cause: validation });
    const { failure } = await answer([...text("Hal"), { type: "error", error: wrapped }, ...parts]);
    expect(failure).toEqual({ kind: "protocol" });
  });

  test("a stream that breaks", async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
    });
    expect((await answer(async () => ({ stream: broken }))).failure).toEqual({ kind: "network" });
  });

  test("do not show secrets from the options", async () => {
    const { providerPackage } = fakePackage({ parts: () => Promise.reject(new Error("bad key AKIA-1234567")) });
    const withSecret = { ...providerPackage, options: { credentials: { secretAccessKey: "AKIA-1234567" } } };
    const { errorMessage } = await streamModel(cloudModel, { messages: [] }, { providerPackage: withSecret }).result();
    expect(errorMessage).toBe("bad key <secret>");
  });

  test("a call without a name", async () => {
    const { failure } = await answer([{ type: "tool-call", toolCallId: "a", input: "{}" }]);
    expect(failure?.kind).toBe("protocol");
  });

  test("a provider without a package", async () => {
    const { errorMessage } = await streamModel(cloudModel, { messages: [] }).result();
    expect(errorMessage).toBe("The provider cloud names no AI SDK package");
  });
});

describe("time", () => {
  /** Sends the given parts and then nothing; reports when it is cancelled. */
  function silentAfter(parts: readonly unknown[]) {
    const cancelled = Promise.withResolvers<void>();
    const stream = new ReadableStream({
      start: (controller) => {
        for (const part of parts) controller.enqueue(part);
      },
      cancel: () => cancelled.resolve(),
    });
    return { stream, cancelled: cancelled.promise };
  }

  test("an abort immediately ends the answer and the package's stream", async () => {
    const { stream: parts, cancelled } = silentAfter([...text("Hal"), { type: "text-start", id: "9" }]);
    const signals: AbortSignal[] = [];
    const { providerPackage } = fakePackage({
      parts: async ({ abortSignal }) => {
        signals.push(abortSignal as AbortSignal);
        return { stream: parts };
      },
    });
    const abort = new AbortController();
    const stream = streamModel(cloudModel, { messages: [] }, { providerPackage, signal: abort.signal });
    for await (const event of stream) {
      if (event.type === "text_end") abort.abort();
      if (event.type !== "error") continue;
      expect(event).toMatchObject({ reason: "aborted", error: { content: [{ type: "text", text: "Hal" }] } });
    }
    await cancelled;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("silence is a stall", async () => {
    const { stream, cancelled } = silentAfter(text("Hal"));
    const { failure, message } = await answer(async () => ({ stream }), "v3", { idleTimeoutMs: 30 });
    expect(failure).toEqual({ kind: "stall" });
    expect(message.content).toEqual([{ type: "text", text: "Hal" }]);
    await cancelled;
  });

  test("silence before the stream is a stall too", async () => {
    const { failure } = await answer(() => new Promise(() => {}), "v3", { idleTimeoutMs: 30 });
    expect(failure).toEqual({ kind: "stall" });
  });

  test("a reader that pauses also pauses the package", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(
          pulled === 1 ? { type: "text-start", id: "0" } : { type: "text-delta", id: "0", delta: "x" },
        );
      },
    });
    const { providerPackage } = fakePackage({ parts: async () => ({ stream: endless }) });
    const stream = streamModel(cloudModel, { messages: [] }, { providerPackage });
    await new Promise<void>((resolve) => stream.onReadable(resolve));
    for (let tick = 0; tick < 50; tick += 1) await new Promise(setImmediate);
    expect(pulled).toBeLessThan(20);
    stream.cancel();
  });
});

test("a package that continues after its end is stopped", async () => {
  const cancelled = Promise.withResolvers<void>();
  const parts = [...text("Hi"), finish("v3", "stop")];
  const stream = new ReadableStream({
    pull: (controller) => controller.enqueue(parts.shift() ?? { type: "raw" }),
    cancel: () => cancelled.resolve(),
  });
  expect((await answer(async () => ({ stream }))).message.stopReason).toBe("stop");
  await cancelled.promise;
});

test("ignores everything after the finish", async () => {
  const { message } = await answer(async () => ({
    stream: streamOf([...text("Hi"), finish("v3", "stop"), ...text("more", "7"), { type: "error", error: "late" }]),
  }));
  expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "Hi" }] });
});
