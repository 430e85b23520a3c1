import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AssistantMessage } from "../src/messages.ts";
import { AssistantEventStream, type AssistantMessageEvent } from "../src/stream-events.ts";
import { zeroUsage } from "../src/usage.ts";

const message: AssistantMessage = {
  role: "assistant",
  content: [],
  api: "a",
  provider: "p",
  model: "m",
  usage: zeroUsage(),
  stopReason: "stop",
  timestamp: 1,
};
const delta = (text: string): AssistantMessageEvent => ({
  type: "text_delta",
  contentIndex: 0,
  delta: text,
  partial: message,
});
const done: AssistantMessageEvent = { type: "done", reason: "stop", message };

async function* numbered(stream: AssistantEventStream): AsyncGenerator<string> {
  for await (const event of stream) yield "delta" in event ? event.delta : event.type;
}

describe("reading", () => {
  test("any interleaving of pushes and reads delivers every event once and in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom("push", "read", "tick", "take"), { maxLength: 60 }), async (steps) => {
        const stream = new AssistantEventStream();
        const iterator = stream[Symbol.asyncIterator]();
        const sent: AssistantMessageEvent[] = [];
        const got: (Promise<IteratorResult<AssistantMessageEvent>> | AssistantMessageEvent)[] = [];
        let isReading = false;
        for (const step of steps) {
          if (step === "push") {
            sent.push(delta(String(sent.length)));
            stream.push(sent.at(-1)!);
          } else if (step === "read") {
            isReading = true;
            got.push(iterator.next());
          } else if (step === "take" && !isReading) {
            const event = stream.take();
            if (event) got.push(event);
          } else {
            await Promise.resolve();
          }
        }
        stream.push(done);
        for (let left = sent.length + 2; left > 0; left -= 1) got.push(iterator.next());
        const results = await Promise.all(got);
        const values = results.flatMap((result) => ("type" in result ? [result] : result.done ? [] : [result.value]));
        expect(values).toEqual([...sent, done]);
        expect(stream.take()).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test("events that were pushed before the reader arrived are kept", async () => {
    const stream = new AssistantEventStream();
    for (const event of [delta("a"), delta("b"), done]) stream.push(event);
    expect(await Array.fromAsync(numbered(stream))).toEqual(["a", "b", "done"]);
  });

  test("a second reader receives nothing", async () => {
    const stream = new AssistantEventStream();
    for (const event of [delta("a"), done]) stream.push(event);
    expect(await stream.result()).toBe(message);
    expect(await Array.fromAsync(stream)).toEqual([]);
    expect(stream.result()).rejects.toThrow("The stream ended without a result");
  });

  test("nothing is delivered after the terminal event", async () => {
    const stream = new AssistantEventStream();
    for (const event of [delta("a"), done, delta("late"), done]) stream.push(event);
    expect(await Array.fromAsync(numbered(stream))).toEqual(["a", "done"]);
  });

  test("a stream that ends without a result ends its reader", async () => {
    const stream = new AssistantEventStream();
    stream.push(delta("a"));
    const reading = Array.fromAsync(numbered(stream));
    await Promise.resolve();
    stream.end();
    expect(await reading).toEqual(["a"]);
    expect(stream.isClosed).toBe(true);
  });

  test("result also returns the message of a failure", async () => {
    const stream = new AssistantEventStream();
    const error = { ...message, stopReason: "error" as const };
    stream.push({ type: "error", reason: "error", error, failure: { kind: "server" } });
    expect(await stream.result()).toBe(error);
  });
});

describe("onReadable", () => {
  test("calls back immediately if something is available, otherwise with the next event, and only once", () => {
    const stream = new AssistantEventStream();
    const calls: string[] = [];
    stream.onReadable(() => calls.push("waited"));
    expect(calls).toEqual([]);
    stream.push(delta("a"));
    stream.push(delta("b"));
    expect(calls).toEqual(["waited"]);
    stream.onReadable(() => calls.push("at once"));
    expect(calls).toEqual(["waited", "at once"]);
  });

  test.each<[string, (stream: AssistantEventStream) => void]>([
    ["the terminal event", (stream) => stream.push(done)],
    ["the end", (stream) => stream.end()],
    ["a cancel", (stream) => stream.cancel()],
  ])("calls back with %s", (_what, act) => {
    const stream = new AssistantEventStream();
    let isCalled = false;
    stream.onReadable(() => {
      isCalled = true;
    });
    act(stream);
    expect(isCalled).toBe(true);
  });
});

describe("drained", () => {
  /** Whether the writer may continue. */
  async function isSettled(promise: Promise<void> | undefined): Promise<boolean> {
    const pending = Symbol("pending");
    return (await Promise.race([promise, Promise.resolve().then(() => pending)])) !== pending;
  }

  test("is immediate while nothing waits to be read", () => {
    const stream = new AssistantEventStream();
    expect(stream.drained()).toBeUndefined();
    stream.push(delta("a"));
    stream.take();
    expect(stream.drained()).toBeUndefined();
  });

  test("resolves when the reader has taken everything", async () => {
    const stream = new AssistantEventStream();
    stream.push(delta("a"));
    stream.push(delta("b"));
    const drained = stream.drained();
    stream.take();
    expect(await isSettled(drained)).toBe(false);
    stream.take();
    expect(await isSettled(drained)).toBe(true);
  });

  test.each<[string, (stream: AssistantEventStream) => void]>([
    ["the terminal event", (stream) => stream.push(done)],
    ["a cancel", (stream) => stream.cancel()],
  ])("stops waiting after %s", async (_what, act) => {
    const stream = new AssistantEventStream();
    stream.push(delta("a"));
    const drained = stream.drained();
    act(stream);
    expect(await isSettled(drained)).toBe(true);
    expect(stream.drained()).toBeUndefined();
  });
});

describe("a reader that leaves", () => {
  test("cancels the request, once", async () => {
    const stream = new AssistantEventStream();
    let cancels = 0;
    stream.onCancel(() => {
      cancels += 1;
    });
    stream.push(delta("a"));
    stream.push(delta("b"));
    for await (const _event of stream) break;
    stream.cancel();
    stream.push(delta("late"));
    expect([cancels, stream.isClosed, stream.take()]).toEqual([1, true, undefined]);
  });

  test("after the terminal event cancels nothing", async () => {
    const stream = new AssistantEventStream();
    let cancels = 0;
    stream.onCancel(() => {
      cancels += 1;
    });
    stream.push(done);
    await stream.result();
    stream.cancel();
    expect(cancels).toBe(0);
  });
});

describe("an observer", () => {
  const start: AssistantMessageEvent = { type: "start", partial: message };

  function observed(): { stream: AssistantEventStream; told: string[] } {
    const stream = new AssistantEventStream();
    const told: string[] = [];
    stream.observe({ first: () => told.push("first"), end: (event) => told.push(`end ${event?.type ?? "early"}`) });
    stream.onReadable(() => told.push("read"));
    return { stream, told };
  }

  test("is notified of the first part and of the end, each once and before the reader", () => {
    const { stream, told } = observed();
    stream.push(start);
    expect(told).toEqual(["read"]);
    for (const event of [delta("a"), delta("b")]) stream.push(event);
    while (stream.take()) {}
    stream.onReadable(() => told.push("read"));
    for (const event of [done, delta("late")]) stream.push(event);
    stream.cancel();
    expect(told).toEqual(["read", "first", "end done", "read"]);
  });

  test("of an answer without content is notified only of its end", () => {
    const { stream, told } = observed();
    stream.push(done);
    expect(told).toEqual(["end done", "read"]);
  });

  test("of an answer whose reader leaves is notified that it ended early", () => {
    const { stream, told } = observed();
    stream.push(delta("a"));
    stream.cancel();
    expect(told).toEqual(["first", "read", "end early"]);
  });

  test("of a finished answer is notified immediately", () => {
    const told: unknown[] = [];
    const stream = new AssistantEventStream();
    stream.push(done);
    stream.observe({ first: () => told.push("first"), end: (event) => told.push(event) });
    expect(told).toEqual([done]);
  });
});
