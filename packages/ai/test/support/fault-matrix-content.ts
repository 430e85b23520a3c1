import { expect, test } from "bun:test";
import type { AssistantMessageEvent } from "../../src/stream-events.ts";
import { checkEvents } from "./event-checker.ts";
import type { ProtocolSamples } from "./fault-matrix.ts";
import { ask, open, TEXT } from "./fault-matrix-answer.ts";
import { sendEvents, startLoopbackServer } from "./loopback-server.ts";

/** What the samples contain if nothing goes wrong, and what a model may get wrong in a perfect stream. */
export function describeContent(samples: ProtocolSamples): void {
  test("a text answer is complete, with usage", async () => {
    const { message, failure } = await ask(samples, sendEvents(samples.text));
    expect(failure).toBeUndefined();
    expect(message.stopReason).toBe("stop");
    expect(message.content.filter(({ type }) => type === "text")).toMatchObject([{ text: TEXT }]);
    expect(message.usage.input + message.usage.cacheRead + message.usage.cacheWrite).toBeGreaterThan(0);
    expect(message.usage.output).toBeGreaterThan(0);
  });

  test("a tool call has its name, its arguments and an id", async () => {
    const { message } = await ask(samples, sendEvents(samples.toolCall));
    expect(message.stopReason).toBe("toolUse");
    expect(message.content.filter(({ type }) => type === "toolCall")).toEqual([
      expect.objectContaining({ id: expect.stringMatching(/./), name: "read", arguments: { path: "a.txt" } }),
    ]);
  });

  const { brokenToolCall } = samples;
  if (brokenToolCall !== undefined) {
    test("truncated arguments are never repaired", async () => {
      const { message } = await ask(samples, sendEvents(brokenToolCall));
      expect(message.content.filter(({ type }) => type === "toolCall")).toEqual([
        expect.objectContaining({
          name: "read",
          arguments: {},
          argumentsError: expect.stringContaining('{"path":"a.t'),
        }),
      ]);
    });
  }

  test("alternating fragments of two calls stay separate", async () => {
    const { message } = await ask(samples, sendEvents(samples.interleavedToolCalls));
    const calls = message.content.filter((block) => block.type === "toolCall");
    expect(message.stopReason).toBe("toolUse");
    expect(calls).toHaveLength(2);
    expect(calls.filter(({ argumentsError }) => argumentsError)).toEqual([]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  test("an answer without content is complete", async () => {
    const { message, failure } = await ask(samples, sendEvents(samples.empty));
    expect(failure).toBeUndefined();
    expect(message).toMatchObject({ content: [], stopReason: "stop" });
  });

  test("an error inside the stream ends it and keeps the text so far", async () => {
    const { message, failure } = await ask(samples, sendEvents(samples.errorInStream));
    expect(failure?.kind).toBe("overloaded");
    expect(message.content).toMatchObject([{ type: "text", text: expect.stringMatching(/./) }]);
  });

  test("a slow reader gets the same events", async () => {
    await using server = await startLoopbackServer(sendEvents(samples.text, { chunkBytes: 16 }));
    const events: AssistantMessageEvent[] = [];
    for await (const event of open(samples, server)) {
      events.push(event);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    const fast = await ask(samples, sendEvents(samples.text));
    expect(checkEvents(events).events).toEqual(fast.events);
  });
}
