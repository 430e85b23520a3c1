import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ForeignStream, ForeignStreamOptions } from "../../src/foreign/foreign-stream.ts";
import type { Model } from "../../src/model.ts";
import type { ModelContext } from "../../src/protocols/protocol.ts";
import { type StreamOptions, streamModel } from "../../src/stream.ts";
import { readChecked } from "../support/event-checker.ts";

const model: Model = {
  id: "m",
  name: "M",
  api: "their-api",
  provider: "theirs",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  cost: { input: 1_000_000, output: 2_000_000, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

async function* list(events: readonly unknown[]) {
  yield* events;
}

const read = (foreign: ForeignStream, options: StreamOptions = {}, context: ModelContext = { messages: [] }) =>
  readChecked(streamModel(model, context, { foreign, now: () => 0, ...options }));
const readEvents = (...events: unknown[]) => read(() => list(events));

/** Emits events as functions in pi's extensions do: one message that keeps changing, and nothing else. */
function piEvents(): unknown[] {
  const thinking = { type: "thinking", thinking: "Hm", thinkingSignature: "sig" };
  const text = { type: "text", text: "Grüße 🌍" };
  const call = { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" }, partialJson: undefined };
  const usage = { input: 3, output: 2, cacheRead: 1, cacheWrite: 0, totalTokens: 6, cost: { total: 0 } };
  const partial = {
    role: "assistant",
    content: [thinking, text, call],
    usage,
    stopReason: "toolUse",
    responseId: "r1",
  };
  return [
    { type: "start", partial },
    { type: "thinking_start", contentIndex: 0, partial },
    { type: "thinking_delta", contentIndex: 0, delta: "Hm", partial },
    { type: "thinking_end", contentIndex: 0, content: "Hm", partial },
    { type: "text_start", contentIndex: 1, partial },
    { type: "text_delta", contentIndex: 1, delta: "Grüße ", partial },
    { type: "text_delta", contentIndex: 1, delta: "🌍", partial },
    { type: "text_end", contentIndex: 1, content: "Grüße 🌍", partial },
    { type: "toolcall_start", contentIndex: 2, partial },
    { type: "toolcall_delta", contentIndex: 2, delta: '{"path":', partial },
    { type: "toolcall_delta", contentIndex: 2, delta: '"a"}', partial },
    { type: "toolcall_end", contentIndex: 2, toolCall: call, partial },
    { type: "done", reason: "toolUse", message: partial },
  ];
}

const CONTENT = [
  { type: "thinking", thinking: "Hm", thinkingSignature: "sig" },
  { type: "text", text: "Grüße 🌍" },
  { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } },
];

describe("an answer of a foreign function", () => {
  test("has the same events as any other", async () => {
    const { events, message } = await readEvents(...piEvents());
    expect(message).toMatchObject({
      api: "their-api",
      provider: "theirs",
      model: "m",
      responseId: "r1",
      stopReason: "toolUse",
      content: CONTENT,
      usage: { input: 3, output: 2, cacheRead: 1, totalTokens: 6, cost: { input: 3, output: 4, total: 7 } },
    });
    expect(events.map(({ type }) => type)).toEqual(piEvents().map((event) => (event as { type: "start" }).type));
  });

  test("that arrives whole is split into events", async () => {
    const { message } = await readEvents(piEvents().at(-1));
    expect(message).toMatchObject({ content: CONTENT, stopReason: "toolUse" });
  });

  test("may be a promise, and its result may mark the end", async () => {
    const whole = (piEvents().at(-1) as { message: object }).message;
    const stream = (result: () => Promise<unknown>) => Object.assign(list(piEvents().slice(0, 4)), { result });
    const { message } = await read(async () => stream(async () => whole));
    expect(message).toMatchObject({ content: CONTENT, stopReason: "toolUse" });
    const { failure } = await read(() => stream(async () => Promise.reject(new Error("none"))));
    expect(failure?.kind).toBe("truncated");
    const failed = await read(() => stream(async () => ({ stopReason: "error", errorMessage: "no luck" })));
    expect([failed.message.errorMessage, failed.failure?.kind]).toEqual(["no luck", "protocol"]);
  });

  test("a partially streamed block is completed", async () => {
    const text = (content: string) => ({
      type: "done",
      reason: "length",
      message: { content: [{ type: "text", text: content }] },
    });
    const begun = [
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "Hel" },
    ];
    const { message } = await readEvents(...begun, text("Hello"));
    expect([message.content, message.stopReason]).toEqual([[{ type: "text", text: "Hello" }], "length"]);
    expect((await readEvents(...begun, text("other"))).message.content).toEqual([{ type: "text", text: "Hel" }]);
  });

  test("a call whose name or text arrives late is complete in the end", async () => {
    const call = { type: "toolCall", id: "", name: "bash", arguments: { command: "ls" } };
    const { message } = await readEvents(
      { type: "toolcall_start", contentIndex: 0 },
      { type: "toolcall_delta", contentIndex: 0, delta: "lost" },
      { type: "toolcall_end", contentIndex: 0, toolCall: call },
      { type: "toolcall_start", contentIndex: 1, toolCall: { ...call, id: "x" } },
      { type: "toolcall_delta", contentIndex: 1, delta: "  " },
      { type: "toolcall_end", contentIndex: 1, toolCall: { ...call, id: "x" } },
      { type: "done", reason: "stop", message: { content: [] } },
    );
    expect(message.content).toEqual([
      { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "ls" } },
      { type: "toolCall", id: "x", name: "bash", arguments: { command: "ls" } },
    ]);
    expect(message.stopReason).toBe("toolUse");
  });

  test("events without a block, or for a block of another kind, are ignored", async () => {
    const { message } = await readEvents(
      { type: "text_start", contentIndex: 0 },
      { type: "thinking_delta", contentIndex: 0, delta: "no" },
      { type: "text_end", contentIndex: 0, content: "yes" },
      { type: "text_delta", contentIndex: 0, delta: "no" },
      { type: "text_end", contentIndex: 0, content: "yes and no" },
      { type: "done", reason: "stop", message: {} },
    );
    expect(message.content).toEqual([{ type: "text", text: "yes" }]);
  });

  test("hidden reasoning keeps its position, in both spellings", async () => {
    const text = { type: "text", text: "x" };
    const pi = { type: "thinking", thinking: "[hidden]", thinkingSignature: "one", redacted: true };
    const partial = { content: [pi, { type: "redactedThinking", data: "two" }, text] };
    const { message } = await readEvents(
      { type: "thinking_start", contentIndex: 0, partial },
      { type: "thinking_end", contentIndex: 0, content: "[hidden]", partial },
      { type: "text_start", contentIndex: 2, partial },
      { type: "done", reason: "stop", message: partial },
    );
    expect(message.content).toEqual([
      { type: "redactedThinking", data: "one" },
      { type: "redactedThinking", data: "two" },
      text,
    ] as never);
  });

  test("a reported cost wins over the price list", async () => {
    const usage = { input: 1, output: Number.NaN, cost: { total: 0.5, totalFromProvider: true } };
    const { message } = await readEvents({ type: "done", reason: "stop", message: { content: [], usage } });
    expect(message.usage).toMatchObject({ input: 1, output: 0, cost: { total: 0.5, totalFromProvider: true } });
  });
});

describe("the function receives", () => {
  test("key, headers and thinking as pi names them, its own signal, and copies", async () => {
    const messages = [{ role: "user" as const, content: "hi", timestamp: 0 }];
    let seen: { context: ModelContext; options: ForeignStreamOptions } | undefined;
    const foreign: ForeignStream = (given, context, options) => {
      seen = { context, options };
      (context.messages as unknown[]).length = 0;
      given.id = "spoiled";
      return list([{ type: "done", reason: "stop", message: { content: [] } }]);
    };
    const options = { apiKey: "k", headers: { a: "b" }, thinkingLevel: "high" as const, sessionId: "s" };
    const { message } = await read(foreign, options, { systemPrompt: "S", messages });
    const { signal, ...rest } = seen!.options;
    expect(rest).toEqual({ apiKey: "k", headers: { a: "b" }, reasoning: "high", sessionId: "s" });
    expect([signal.aborted, seen!.context.systemPrompt, messages.length, model.id, message.model]).toEqual([
      false,
      "S",
      1,
      "m",
      "m",
    ]);
    await read(foreign, { thinkingLevel: "off" });
    expect(seen!.options).not.toHaveProperty("reasoning");
  });
});

describe("the answer always ends", () => {
  const never = () => new Promise<never>(() => {});
  const telling =
    (errorMessage: string): ForeignStream =>
    () =>
      list([{ type: "error", error: { errorMessage } }]);
  const fail = (text: string): never => {
    throw new Error(text);
  };
  const failing: [string, ForeignStream, string, RegExp][] = [
    ["throws", () => fail("broken"), "protocol", /^broken$/],
    ["rejects", async () => fail("broken"), "protocol", /^broken$/],
    [
      "throws between events",
      async function* () {
        yield piEvents()[0];
        fail("midway");
      },
      "protocol",
      /^midway$/,
    ],
    ["gives nothing", () => undefined, "protocol", /did not return an event stream/],
    ["gives something else", () => ({}), "protocol", /did not return an event stream/],
    ["stops without an end", () => list(piEvents().slice(0, 6)), "truncated", /before completion/],
    ["says it is asked too often", telling("Too many requests"), "rate_limit", /^Too many requests$/],
    ["says its prompt is too long", telling("prompt is too long: 9 tokens > 8 maximum"), "overflow", /^prompt/],
    ["has lost its connection", telling("fetch failed"), "network", /^fetch failed$/],
    ["fails without words", () => list([{ type: "error" }]), "protocol", /with an error$/],
    ["says it was aborted when nobody did", () => list([{ type: "error", reason: "aborted" }]), "protocol", /./],
  ];

  test.each(failing)("%s", async (_name, foreign, kind, text) => {
    const { message, failure } = await read(foreign);
    expect([failure?.kind, message.stopReason, message.errorMessage]).toEqual([
      kind as never,
      "error",
      expect.stringMatching(text),
    ]);
  });

  test("facts of one of our own streams are kept", async () => {
    const failure = { kind: "overloaded", status: 529, retryAfterMs: 7 };
    const answer = await readEvents({ type: "error", error: { errorMessage: "busy" }, failure });
    expect(answer.failure).toEqual(failure as never);
  });

  test("does not show a key in an error", async () => {
    const { message } = await read((_model, _context, { apiKey }) => fail(`bad key ${apiKey}`), {
      apiKey: "sk-very-secret",
    });
    expect(message.errorMessage).not.toContain("sk-very-secret");
  });

  test.each<[string, ForeignStream]>([
    ["before it gives a stream", never],
    ["between events", () => ({ [Symbol.asyncIterator]: () => ({ next: never }) })],
    ["at its result", () => Object.assign(list([]), { result: never })],
  ])("an abort does not wait for it %s, and reaches it", async (_name, foreign) => {
    const { promise: asked, resolve } = Promise.withResolvers<AbortSignal>();
    const abort = new AbortController();
    const answer = read(
      (...args) => {
        resolve(args[2].signal);
        return foreign(...args);
      },
      { signal: abort.signal },
    );
    const signal = await asked;
    abort.abort();
    expect([(await answer).message.stopReason, signal.aborted]).toEqual(["aborted", true]);
  });

  test.each<[string, { next(): unknown; result?(): unknown }]>([
    ["waits for an event", { next: never }],
    ["waits for its result", { next: async () => ({ done: true }), result: never }],
  ])("a stream that %s learns that it has no reader", async (_name, { next, result }) => {
    const left = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const iterator = { next, return: async () => left.resolve() };
    const abort = new AbortController();
    const answer = read(
      () => {
        setImmediate(asked.resolve);
        return { [Symbol.asyncIterator]: () => iterator, ...(result !== undefined && { result }) };
      },
      { signal: abort.signal },
    );
    await asked.promise;
    abort.abort();
    await left.promise;
    expect((await answer).message.stopReason).toBe("aborted");
  });

  test("silence is a stall, at the beginning and later", async () => {
    const early = await read(never, { idleTimeoutMs: 20 });
    const later = await read(
      async function* () {
        yield piEvents()[0];
        await never();
      },
      { idleTimeoutMs: 20 },
    );
    expect([early.failure?.kind, later.failure?.kind]).toEqual(["stall", "stall"]);
  });

  test("arbitrary events keep the grammar, with exactly one terminal event", async () => {
    const part = fc.oneof(fc.string(), fc.constant(undefined), fc.integer());
    const block = fc.record(
      {
        type: fc.constantFrom("text", "thinking", "toolCall", "redactedThinking", "image"),
        text: part,
        thinking: part,
        id: part,
        name: part,
        data: part,
        redacted: fc.boolean(),
        thinkingSignature: part,
        arguments: fc.oneof(part, fc.dictionary(fc.string(), fc.integer())),
      },
      { requiredKeys: [] },
    );
    const content = fc.oneof(part, fc.array(block, { maxLength: 4 }));
    const message = fc.oneof(fc.record({ content, usage: part }, { requiredKeys: [] }), part);
    const steps = ["start", "delta", "end"];
    const kinds = ["text", "thinking", "toolcall"].flatMap((kind) => steps.map((step) => `${kind}_${step}`));
    const event = fc.record(
      {
        type: fc.oneof(fc.constantFrom("start", "done", "error", "constructor", ...kinds), part),
        contentIndex: fc.oneof(fc.integer({ min: -1, max: 4 }), part),
        delta: part,
        content: part,
        toolCall: block,
        partial: message,
        message,
        error: part,
        reason: part,
      },
      { requiredKeys: ["type"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof({ weight: 9, arbitrary: event }, part)), async (events) => {
        const answer = await readEvents(...events);
        expect(answer.message.role).toBe("assistant");
      }),
      { numRuns: 300 },
    );
  });
});

test("a flood of events does not block the event loop", async () => {
  let othersHadTheirs = false;
  setImmediate(() => {
    othersHadTheirs = true;
  });
  async function* flood() {
    yield { type: "text_start", contentIndex: 0 };
    for (let count = 0; !othersHadTheirs && count < 1_000_000; count += 1) {
      yield { type: "text_delta", contentIndex: 0, delta: "x" };
    }
    yield { type: "done", reason: "stop", message: { content: [] } };
  }
  const { message } = await read(flood);
  expect([message.stopReason, othersHadTheirs]).toEqual(["stop", true]);
});

test("ending an invalid stream does no harm", async () => {
  const events = [{ type: "start" }, { type: "text_delta", contentIndex: 0, delta: "hi" }];
  const iterator = (last: unknown[]) => {
    const left = [...events, ...last];
    return {
      next: async () => (left.length > 0 ? { done: false, value: left.shift() } : { done: true, value: undefined }),
      return: () => "not a promise",
    };
  };
  const done = await read(() => ({ [Symbol.asyncIterator]: () => iterator([{ type: "done", reason: "stop" }]) }));
  expect(done.message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "hi" }] });
  const result = () => ({ stopReason: "stop", content: [{ type: "text", text: "hi you" }] });
  const whole = await read(() => ({ [Symbol.asyncIterator]: () => iterator([]), result }));
  expect(whole.message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "hi you" }] });
});

test("does not call the function after an abort during loading", async () => {
  const stop = new AbortController();
  let calls = 0;
  const reading = read(
    () => {
      calls += 1;
      return list([]);
    },
    { signal: stop.signal },
  );
  stop.abort();
  expect([(await reading).message.stopReason, calls]).toEqual(["aborted", 0]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toBe(0);
});
