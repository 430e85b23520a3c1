import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ProtocolSamples } from "./fault-matrix.ts";
import { ask, askWithChunks, askWithText, splitEvents, toBytes } from "./fault-matrix-answer.ts";
import { sendEvents, sendStatus } from "./loopback-server.ts";

/** Hundreds of answers; the limit only detects a hang. */
const EXHAUSTIVE_MS = 60_000;
const HTML = "<!DOCTYPE html><html><head><title>Log in to the hotel wifi</title></head><body>…</body></html>";

/** Answers that are not what the API sends: always an error that says so, never a crash. */
export function describeGarbage(samples: ProtocolSamples): void {
  describe("garbage", () => {
    test(
      "random bytes",
      async () => {
        await fc.assert(
          fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
            const { failure } = await askWithChunks(samples, [bytes]);
            expect(["truncated", "protocol"]).toContain(failure?.kind as string);
          }),
        );
      },
      EXHAUSTIVE_MS,
    );

    test(
      "random bytes in the middle of an answer",
      async () => {
        const bytes = toBytes(samples.text);
        await fc.assert(
          fc.asyncProperty(fc.nat(bytes.length), fc.uint8Array({ minLength: 1, maxLength: 40 }), async (at, noise) => {
            const { failure } = await askWithChunks(samples, [bytes.subarray(0, at), noise, bytes.subarray(at)]);
            expect([undefined, "truncated", "protocol"]).toContain(failure?.kind);
          }),
        );
      },
      EXHAUSTIVE_MS,
    );

    test("an HTML page with status 200", async () => {
      const { failure, message } = await ask(samples, sendStatus(200, HTML, { "content-type": "text/html" }));
      expect(failure).toEqual({ kind: "protocol", status: 200 });
      expect(message.errorMessage).toContain("Log in to the hotel wifi");
    });

    test("an HTML page that claims to be an event stream", async () => {
      const { failure } = await ask(samples, sendEvents(HTML));
      expect(failure).toEqual({ kind: "truncated" });
    });

    test("a JSON document with status 200", async () => {
      const { failure } = await ask(samples, sendStatus(200, '{"hello":"world"}'));
      expect(failure).toEqual({ kind: "protocol", status: 200 });
    });

    test("an error document with status 200", async () => {
      const { failure, message } = await ask(samples, sendStatus(200, samples.errorBody(429, "Slow down, please")));
      expect(failure?.kind).toBe("rate_limit");
      expect(message.errorMessage).toContain("Slow down, please");
    });

    test("an empty body with status 200", async () => {
      const { failure } = await ask(samples, sendEvents(""));
      expect(failure).toEqual({ kind: "truncated" });
    });

    test("data that is not JSON is quoted in part", async () => {
      const [first = ""] = splitEvents(samples.text);
      const { failure, message } = await ask(samples, sendEvents(`${first}data: oops ${"x".repeat(100_000)}\n\n`));
      expect(failure).toEqual({ kind: "protocol" });
      expect(message.errorMessage).toContain("oops");
      expect((message.errorMessage as string).length).toBeLessThan(1000);
    });

    test(
      "any JSON value as an event",
      async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 5 }), async (values) => {
            const events = values.map((value) => `data: ${JSON.stringify(value)}\n\n`);
            const { failure } = await askWithText(samples, events.join("") + samples.text);
            expect([undefined, "protocol"]).toContain(failure?.kind);
          }),
        );
      },
      EXHAUSTIVE_MS,
    );

    test.each(["text", "toolCall", "interleavedToolCalls"] as const)(
      "any field of %s replaced",
      async (kind) => {
        const events = splitEvents(samples[kind]);
        await fc.assert(
          fc.asyncProperty(fc.nat(events.length - 1), fc.nat(), REPLACEMENT, async (at, place, replacement) => {
            const changed = events.with(at, replaceField(events[at] as string, place, replacement));
            const { failure } = await askWithText(samples, changed.join(""));
            // A decoder that fails on a type throws something other than a ProviderError, which counts as a network
            // error.
            expect(failure?.kind).not.toBe("network");
          }),
          { numRuns: 400 },
        );
      },
      EXHAUSTIVE_MS,
    );
  });
}

const REPLACEMENT = fc.constantFrom<unknown[]>(undefined, null, "", "x", 0, -1, 1.5, true, [], {}, [null], [[]], [{}]);

/** Returns the event with one of its fields, at any depth, set to another value; undefined removes the field. */
function replaceField(event: string, place: number, replacement: unknown): string {
  const data = /^data: (\{.*\})\s*$/m.exec(event)?.[1];
  if (!data) return event;
  let seen = 0;
  const fields = data.match(/":/g)?.length ?? 1;
  const chosen = place % fields;
  const changed = JSON.stringify(JSON.parse(data), (key, value) => {
    if (key === "") return value;
    seen += 1;
    return seen - 1 === chosen ? replacement : value;
  });
  return event.replace(data, () => changed);
}
