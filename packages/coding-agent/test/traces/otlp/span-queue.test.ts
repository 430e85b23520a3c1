import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS } from "../../../../agent/test/support/property-runs.ts";
import type { PostEnd } from "../../../src/traces/otlp/otlp-post.ts";
import { SpanQueue } from "../../../src/traces/otlp/span-queue.ts";
import type { Span } from "../../../src/traces/span.ts";

const span = (name: string): Span => ({
  place: { traceId: "a".repeat(32), spanId: "b".repeat(16), isSampled: true },
  parentId: undefined,
  name,
  kind: "internal",
  startMs: 0,
  endMs: 1,
  attributes: {},
  events: [],
  error: undefined,
});

const ENDS: Record<string, PostEnd> = {
  sent: { kind: "sent" },
  later: { kind: "later", why: "busy", afterMs: 1 },
  refused: { kind: "refused", why: "no" },
};

/**
 * Delivers `count` spans with a queue of 10 in batches of 4 to a receiver with these answers; `postMs` is the time that a batch
 * takes.
 */
async function deliver(count: number, answers: readonly string[], postMs = 0) {
  const taken: string[] = [];
  let failures = 0;
  let posted = 0;
  const queue = new SpanQueue({
    maxQueue: 10,
    maxBatch: 4,
    delayMs: 1,
    async post(spans) {
      expect(spans.length).toBeLessThanOrEqual(4);
      const end = ENDS[answers[posted] ?? "sent"]!;
      posted += 1;
      await Bun.sleep(postMs);
      if (end.kind === "sent") taken.push(...spans.map(({ name }) => name));
      return end;
    },
    onFailure: () => {
      failures += 1;
    },
  });
  for (let index = 0; index < count; index += 1) {
    queue.add(span(String(index)));
    if (index % 7 === 0) await Bun.sleep(0);
  }
  await queue.close(10_000);
  return { queue, taken, failures };
}

describe("spans that wait for a receiver", () => {
  test(
    "delivers each span exactly once or counts it as dropped",
    async () => {
      const plan = fc.array(fc.constantFrom("sent", "later", "refused"), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 30 }), plan, async (count, answers) => {
          const { queue, taken, failures } = await deliver(count, answers);
          expect(new Set(taken).size).toBe(taken.length);
          expect(taken.length + queue.takeDropped()).toBe(count);
          expect(failures).toBeLessThanOrEqual(answers.length);
          queue.add(span("late"));
          expect(queue.takeDropped()).toBe(1);
        }),
        { numRuns: Number(process.env.PINTLE_PROPERTY_RUNS ?? 100) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  test.each([
    { count: 16, answers: ["refused", "sent", "later"] },
    { count: 8, answers: ["later"] },
    { count: 6, answers: [] },
  ])("sends no batch twice when it is closed while one is sent: $count, $answers", async ({ count, answers }) => {
    // A batch takes longer than the timer of the queue, which must not fire while close() sends the rest.
    const { queue, taken } = await deliver(count, answers, 5);
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken.length + queue.takeDropped()).toBe(count);
  });

  test("the end does not wait longer than it is given", async () => {
    const queue = new SpanQueue({
      maxQueue: 10,
      maxBatch: 4,
      delayMs: 1,
      post: (_, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "later", why: "closed" }))),
      onFailure: () => {},
    });
    queue.add(span("a"));
    await queue.close(1);
    expect(queue.takeDropped()).toBe(1);
  });
});
