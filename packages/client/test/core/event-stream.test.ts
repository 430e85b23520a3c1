import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EventStream } from "../../src/core/event-stream.ts";
import type { RpcEvent } from "../../src/protocol.ts";

// biome-ignore lint/suspicious/noExplicitAny: events are built small on purpose
type Small = any;

const delta = (contentIndex: number, text: string, type = "text_delta"): RpcEvent =>
  ({ type: "message_update", message: { text }, assistantMessageEvent: { type, contentIndex, delta: text } }) as Small;
const progress = (toolCallId: string, n: number): RpcEvent =>
  ({ type: "tool_execution_update", toolCallId, partialResult: n }) as Small;
const other = (n: number): RpcEvent => ({ type: "notice", message: String(n) }) as Small;

async function drain(stream: EventStream): Promise<Small[]> {
  const events: RpcEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function slowly(...events: RpcEvent[]): Promise<Small[]> {
  const stream = new EventStream();
  for (const event of events) stream.push(event);
  stream.close();
  return drain(stream);
}

describe("a slow reader", () => {
  test("receives deltas of one block merged, with the newest message", async () => {
    const [event, ...rest] = await slowly(delta(0, "a"), delta(0, "b"), delta(0, "c"));
    expect(rest).toEqual([]);
    expect(event.assistantMessageEvent.delta).toBe("abc");
    expect(event.message.text).toBe("c");
  });

  test("receives different blocks and kinds separately", async () => {
    expect(await slowly(delta(0, "a"), delta(1, "b"), delta(1, "c", "thinking_delta"))).toHaveLength(3);
  });

  test("receives the latest progress of each call, at its latest position", async () => {
    const events = await slowly(progress("x", 1), progress("y", 1), progress("x", 2));
    expect(events.map(({ toolCallId, partialResult }) => [toolCallId, partialResult])).toEqual([
      ["y", 1],
      ["x", 2],
    ]);
  });

  test("does not merge across another event", async () => {
    const events = [delta(0, "a"), other(1), delta(0, "b"), progress("x", 1), other(2), progress("x", 2)];
    expect(await slowly(...events)).toEqual(events);
  });
});

test("receives the full text and everything else in order, whatever is merged", () => {
  const event = fc.oneof(
    fc.tuple(fc.nat(1), fc.string()).map(([index, text]) => delta(index, text)),
    fc.tuple(fc.constantFrom("x", "y"), fc.nat()).map(([id, n]) => progress(id, n)),
    fc.nat(3).map(other),
  );
  const step = fc.oneof({ weight: 3, arbitrary: event }, { weight: 1, arbitrary: fc.constant("read" as const) });
  return fc.assert(
    fc.asyncProperty(fc.array(step), async (steps) => {
      const stream = new EventStream();
      const got: Small[] = [];
      const sent = steps.filter((one) => one !== "read") as Small[];
      let waiting = 0;
      for (const one of steps) {
        if (one !== "read") {
          stream.push(one);
          waiting += 1;
        } else if (waiting > 0) {
          const next = stream.next();
          got.push((await next).value);
          waiting = 0; // at least one event was buffered; any others are collected at the end
        }
      }
      stream.close();
      got.push(...(await drain(stream)));
      const text = (events: Small[]) => events.map((e) => e.assistantMessageEvent?.delta ?? "").join("");
      const others = (events: Small[]) => events.filter((e) => e.type === "notice");
      const last = (events: Small[], id: string) => events.findLast((e) => e.toolCallId === id);
      expect(text(got)).toBe(text(sent));
      expect(others(got)).toEqual(others(sent));
      expect([last(got, "x"), last(got, "y")]).toEqual([last(sent, "x"), last(sent, "y")]);
    }),
  );
});

test("receives everything even if it always lags, and consumed events are released", async () => {
  const stream = new EventStream();
  const registry = { collected: 0 };
  const finalizer = new FinalizationRegistry(() => {
    registry.collected += 1;
  });
  for (let n = 0; n < 5000; n += 1) {
    const event = other(n);
    finalizer.register(event, undefined);
    stream.push(event);
    if (n > 0) expect((await stream.next()).value).toEqual(other(n - 1));
  }
  Bun.gc(true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(registry.collected).toBeGreaterThan(1000);
});

describe("the end", () => {
  test("delivers buffered events before the error, and the error once", async () => {
    const stream = new EventStream();
    stream.push(other(1));
    stream.fail(new Error("lost"));
    expect((await stream.next()).value).toEqual(other(1));
    await expect(stream.next()).rejects.toThrow("lost");
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  test("wakes all waiting readers", async () => {
    const stream = new EventStream();
    const waiting = [stream.next(), stream.next()];
    stream.push(other(1));
    stream.close();
    expect((await Promise.all(waiting)).map(({ done }) => done)).toEqual([false, true]);
  });

  test("reports once that the loop was left", async () => {
    let left = 0;
    const stream = new EventStream(() => (left += 1));
    stream.push(other(1));
    stream.push(other(2));
    for await (const event of stream) {
      expect(event).toEqual(other(1));
      break;
    }
    stream.close();
    expect(left).toBe(1);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });
});
