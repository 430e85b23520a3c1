import { describe, expect, mock, test } from "bun:test";
import fc from "fast-check";
import { ProviderError } from "../src/errors.ts";
import { MessageBuilder, parseArguments } from "../src/message-builder.ts";
import { offlineModel } from "../src/offline/offline-info.ts";
import { AssistantEventStream, type AssistantMessageEvent } from "../src/stream-events.ts";
import { toUsage, zeroUsage } from "../src/usage.ts";

function build(now: () => number = () => 1000) {
  const stream = new AssistantEventStream();
  const out = new MessageBuilder(stream, { api: "api", provider: "provider", id: "model" }, { now });
  /** Everything emitted so far, copied when it was emitted. */
  const events = (): AssistantMessageEvent[] => {
    const taken: AssistantMessageEvent[] = [];
    for (let event = stream.take(); event; event = stream.take()) taken.push(event);
    return taken;
  };
  return { out, events };
}

const head = {
  role: "assistant",
  api: "api",
  provider: "provider",
  model: "model",
  usage: zeroUsage(),
  timestamp: 1000,
} as const;

test("an answer is a list of snapshots that match their events", () => {
  const { out, events } = build();
  out.start();
  const thinking = out.startThinking();
  out.append(thinking, "hm");
  out.sign(thinking, "sig");
  out.end(thinking);
  const text = out.startText();
  out.append(text, "a");
  out.append(text, "");
  out.append(text, "b");
  out.end(text);
  const call = out.startToolCall({ id: "c1", name: "ls" });
  out.append(call, '{"path":"src/files"}');
  out.end(call);
  out.setUsage(toUsage(offlineModel, { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }));
  out.setResponseId("r1");
  out.finish("toolUse");

  const partial = (...content: object[]) => ({
    ...head,
    stopReason: "stop",
    content,
    ...(content.length > 0 && { ttft: 0 }),
  });
  const thought = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
  const said = (text: string) => ({ type: "text", text });
  const called = (args: object) => ({ type: "toolCall", id: "c1", name: "ls", arguments: args });
  const name = { id: "c1", name: "ls" };
  expect(events()).toEqual([
    { type: "start", partial: partial() },
    { type: "thinking_start", contentIndex: 0, partial: partial({ type: "thinking", thinking: "" }) },
    { type: "thinking_delta", contentIndex: 0, delta: "hm", partial: partial({ type: "thinking", thinking: "hm" }) },
    { type: "thinking_end", contentIndex: 0, content: "hm", partial: partial(thought) },
    { type: "text_start", contentIndex: 1, partial: partial(thought, said("")) },
    { type: "text_delta", contentIndex: 1, delta: "a", partial: partial(thought, said("a")) },
    { type: "text_delta", contentIndex: 1, delta: "b", partial: partial(thought, said("ab")) },
    { type: "text_end", contentIndex: 1, content: "ab", partial: partial(thought, said("ab")) },
    { type: "toolcall_start", contentIndex: 2, toolCall: name, partial: partial(thought, said("ab"), called({})) },
    {
      type: "toolcall_delta",
      contentIndex: 2,
      delta: '{"path":"src/files"}',
      toolCall: name,
      partial: partial(thought, said("ab"), called({ path: "src/files" })),
    },
    {
      type: "toolcall_end",
      contentIndex: 2,
      toolCall: called({ path: "src/files" }),
      partial: partial(thought, said("ab"), called({ path: "src/files" })),
    },
    {
      type: "done",
      reason: "toolUse",
      message: {
        ...partial(thought, said("ab"), called({ path: "src/files" })),
        stopReason: "toolUse",
        responseId: "r1",
        usage: {
          ...zeroUsage(),
          input: 1,
          output: 2,
          totalTokens: 3,
          cost: { ...zeroUsage().cost, totalFromProvider: false },
        },
        duration: 0,
      },
    },
  ] as AssistantMessageEvent[]);
});

test("no snapshot changes after it was emitted, whatever follows", () => {
  const step = fc.record({
    act: fc.constantFrom("text", "thinking", "call", "append", "sign", "end", "redacted"),
    at: fc.nat(5),
    text: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isAborted) => {
      const { out, events } = build();
      const emitted: [AssistantMessageEvent, string][] = [];
      for (const { act, at, text } of steps) {
        if (act === "text") out.startText();
        else if (act === "thinking") out.startThinking();
        else if (act === "call") out.startToolCall({ id: `c${at}`, name: "t" });
        else if (act === "append") out.append(at, text);
        else if (act === "sign") out.sign(at, text);
        else if (act === "end") out.end(at);
        else out.addRedactedThinking(text);
        emitted.push(...events().map((event): [AssistantMessageEvent, string] => [event, JSON.stringify(event)]));
      }
      if (isAborted) out.abort();
      else out.finish("stop");
      const types = [...emitted.map(([event]) => event), ...events()].map(({ type }) => type);
      expect(emitted.map(([event]) => JSON.stringify(event))).toEqual(emitted.map(([, text]) => text));
      expect(types[0]).toBe("start");
      expect(types.filter((type) => type === "start" || type === "done" || type === "error").length).toBe(2);
      const count = (end: string) => types.filter((type) => type.endsWith(end)).length;
      if (!isAborted) expect(count("_end")).toBe(types.filter((type) => type.endsWith("_start")).length);
    }),
  );
});

describe("ended blocks", () => {
  test("take no more text", () => {
    const { out, events } = build();
    const text = out.startText();
    out.append(text, "a");
    out.end(text);
    events();
    out.append(text, "late");
    out.end(text);
    out.append(7, "nowhere");
    out.end(7);
    expect([events(), out.content]).toEqual([[], [{ type: "text", text: "a" }]]);
  });

  test("include those still open when the answer finishes, in order", () => {
    const { out, events } = build();
    out.append(out.startThinking(), "t");
    out.append(out.startText(), "x");
    out.startToolCall({ id: "c", name: "n" });
    out.finish("length");
    expect(
      events()
        .slice(-4)
        .map(({ type }) => type),
    ).toEqual(["thinking_end", "text_end", "toolcall_end", "done"]);
  });
});

describe("a failed answer", () => {
  const failWith = (
    write: (out: MessageBuilder) => void,
    error = new ProviderError("aborted", "Request was aborted"),
  ) => {
    const { out, events } = build();
    write(out);
    out.fail(error);
    return { events: events(), out };
  };

  test("keeps complete blocks and repairs the rest", () => {
    const { events } = failWith((out) => {
      const signed = out.startThinking();
      out.append(signed, "whole");
      out.sign(signed, "sig");
      out.end(signed);
      out.addRedactedThinking("opaque");
      const half = out.startThinking();
      out.append(half, "half");
      out.sign(half, "sig");
      out.startThinking();
      const text = out.startText();
      out.append(text, "said");
      out.sign(text, "sig");
      out.startText();
      const whole = out.startToolCall({ id: "c1", name: "rm" });
      out.append(whole, '{"path":"a"}');
      out.end(whole);
      out.append(out.startToolCall({ id: "c2", name: "rm" }), '{"path":"b"}');
    });
    expect(events.at(-1)).toEqual({
      type: "error",
      reason: "aborted",
      failure: { kind: "aborted" },
      error: {
        ...head,
        stopReason: "aborted",
        errorMessage: "Request was aborted",
        content: [
          { type: "thinking", thinking: "whole", thinkingSignature: "sig" },
          { type: "redactedThinking", data: "opaque" },
          { type: "thinking", thinking: "half" },
          { type: "text", text: "said" },
          { type: "toolCall", id: "c1", name: "rm", arguments: { path: "a" } },
        ],
        duration: 0,
        ttft: 0,
      },
    });
  });

  test("without content is an empty message with a start", () => {
    const error = new ProviderError("rate_limit", "slow down", { status: 429, retryAfterMs: 5 });
    expect(failWith(() => {}, error).events).toEqual([
      { type: "start", partial: { ...head, stopReason: "stop", content: [] } },
      {
        type: "error",
        reason: "error",
        failure: { kind: "rate_limit", status: 429, retryAfterMs: 5 },
        error: { ...head, stopReason: "error", errorMessage: "slow down", content: [], duration: 0 },
      },
    ]);
  });

  test("ends once", () => {
    const { out, events } = build();
    out.finish("stop");
    out.abort();
    out.finish("stop");
    out.startText();
    expect(events().map(({ type }) => type)).toEqual(["start", "done"]);
    expect(out.isFinished).toBe(true);
  });
});

test("time to the first content and to the end are measured by the given clock", () => {
  let time = 100;
  const { out, events } = build(() => time);
  time = 130;
  out.start();
  time = 150;
  out.append(out.startText(), "x");
  time = 400;
  out.startText();
  out.finish("stop");
  expect(events().at(-1)).toMatchObject({ message: { timestamp: 100, ttft: 50, duration: 300 } });
});

describe("arguments", () => {
  test("are parsed while they arrive, less often as they grow", async () => {
    const original = { ...(await import("@pintle/client/partial-json")) };
    const counted = mock(original.parsePartialObject);
    mock.module("@pintle/client/partial-json", () => ({ ...original, parsePartialObject: counted }));
    try {
      const lengths = [1000, 10_000, 100_000].map((length) => {
        counted.mockClear();
        const { out } = build();
        const call = out.startToolCall({ id: "c", name: "write" });
        out.append(call, '{"content":"');
        for (let at = 0; at < length; at += 1) out.append(call, "x");
        return counted.mock.calls.length;
      });
      // Each factor of ten adds the same number of parses: log(10) / log(1.25).
      expect(lengths[0]).toBeGreaterThan(0);
      expect(lengths[1]! - lengths[0]!).toBeLessThan(15);
      expect(lengths[2]! - lengths[1]!).toBeLessThan(15);
    } finally {
      mock.module("@pintle/client/partial-json", () => original);
    }
  });

  test("shown while streaming may lag, but are never wrong", () => {
    const { out, events } = build();
    const call = out.startToolCall({ id: "c", name: "write" });
    for (const piece of ['{"path": "', "src/index.ts", '", "content": "', "hello world, this is", ' text"}'])
      out.append(call, piece);
    out.end(call);
    const shown = events().flatMap((event) => ("partial" in event ? [event.partial.content[0]] : []));
    expect(shown.flatMap((block) => (block?.type === "toolCall" ? [block.arguments] : []))).toEqual([
      {},
      {},
      { path: "src/index.ts" },
      { path: "src/index.ts" },
      { path: "src/index.ts", content: "hello world, this is" },
      { path: "src/index.ts", content: "hello world, this is" },
      { path: "src/index.ts", content: "hello world, this is text" },
    ]);
  });

  test.each<[string, object]>([
    ["", { arguments: {} }],
    ["  \n", { arguments: {} }],
    ['{"a":{"b":[1]}}', { arguments: { a: { b: [1] } } }],
    ["[1]", { arguments: {}, argumentsError: "Arguments must be a JSON object. Received: [1]" }],
    ["null", { arguments: {}, argumentsError: "Arguments must be a JSON object. Received: null" }],
    [
      '{"a":1',
      {
        arguments: {},
        argumentsError: expect.stringMatching(/^Arguments are not valid JSON \(.+\)\. Received: \{"a":1$/),
      },
    ],
  ])("%j are accepted unchanged or not at all", (json, expected) => {
    expect(parseArguments(json)).toEqual(expected as never);
  });

  test("that are long and invalid are quoted in part", () => {
    expect(parseArguments("x".repeat(10_000)).argumentsError?.length).toBeLessThan(5000);
  });
});

test("that are shown in part are not cut inside a character", () => {
  const { argumentsError = "" } = parseArguments(`"${"x".repeat(3998)}😀 and more`);
  expect(argumentsError).toContain("x\ufffd…");
  expect(argumentsError.isWellFormed()).toBe(true);
});
