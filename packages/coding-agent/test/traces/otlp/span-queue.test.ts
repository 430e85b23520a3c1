import { describe, expect, test } from "bun:test";
import fc from "fast-check";
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

describe("spans that wait for a receiver", () => {
  test("each is sent once or counted as dropped, whatever the receiver says", async () => {
    const plan = fc.array(fc.constantFrom("sent", "later", "refused"), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 30 }), plan, async (count, answers) => {
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
            await Bun.sleep(0);
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
        await queue.close(1_000);
        expect(new Set(taken).size).toBe(taken.length);
        expect(taken.length + queue.takeDropped()).toBe(count);
        expect(failures).toBeLessThanOrEqual(answers.length);
        queue.add(span("late"));
        expect(queue.takeDropped()).toBe(1);
      }),
      { numRuns: 100 },
    );
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
