import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CheckedAnswer } from "./event-checker.ts";
import type { ProtocolSamples } from "./fault-matrix.ts";
import {
  ask,
  askWithChunks,
  askWithText,
  comparable,
  splitAtTerminal,
  splitEvents,
  toBytes,
} from "./fault-matrix-answer.ts";
import { sendEvents } from "./loopback-server.ts";

/** Thousands of answers; the limit only detects a hang. */
const EXHAUSTIVE_MS = 60_000;

/** The same answer, however it is encoded or split, gives the same result; a part of it is never a success. */
export function describeBytes(samples: ProtocolSamples): void {
  for (const kind of ["text", "toolCall"] as const) {
    const text = samples[kind];
    const bytes = toBytes(text);
    const expected = () => askWithText(samples, text).then(comparable);

    describe(`bytes of ${kind}`, () => {
      test.each([1, 2, 3, 5, 7, 16, 64])("sent in chunks of %d", async (chunkBytes) => {
        expect(comparable(await ask(samples, sendEvents(text, { chunkBytes })))).toEqual(await expected());
      });

      test(
        "split in two at every byte",
        async () => {
          const whole = await expected();
          for (let at = 0; at <= bytes.length; at += 1) {
            const answer = await askWithChunks(samples, [bytes.subarray(0, at), bytes.subarray(at)]);
            expect(comparable(answer)).toEqual(whole);
          }
        },
        EXHAUSTIVE_MS,
      );

      test(
        "split at random places",
        async () => {
          const whole = await expected();
          await fc.assert(
            fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 40 }), async (places) => {
              const cuts = [0, ...places.sort((a, b) => a - b), bytes.length];
              const chunks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
              expect(comparable(await askWithChunks(samples, chunks))).toEqual(whole);
            }),
          );
        },
        EXHAUSTIVE_MS,
      );

      test.each([
        ["CRLF", "\r\n"],
        ["CR", "\r"],
      ])("lines that end with %s", async (_name, lineEnd) => {
        const other = text.replaceAll("\n", lineEnd);
        const perByte = [...toBytes(other)].map((byte) => Uint8Array.of(byte));
        expect(comparable(await askWithText(samples, other))).toEqual(await expected());
        expect(comparable(await askWithChunks(samples, perByte))).toEqual(await expected());
      });

      test("a byte order mark in front", async () => {
        expect(comparable(await askWithText(samples, `\uFEFF${text}`))).toEqual(await expected());
      });

      test(
        "comments and keep-alives between any two lines",
        async () => {
          const whole = await expected();
          const lines = text.split("\n");
          const inserted = fc.constantFrom(":", ": keep-alive", ": OPENROUTER PROCESSING", ":data: {}", "retry: 3000");
          await fc.assert(
            fc.asyncProperty(
              fc.array(fc.tuple(fc.nat(lines.length - 1), inserted), { maxLength: 30 }),
              async (extra) => {
                const noisy = lines.flatMap((line, at) => [
                  ...extra.filter(([to]) => to === at).map(([, it]) => it),
                  line,
                ]);
                expect(comparable(await askWithText(samples, noisy.join("\n")))).toEqual(whole);
              },
            ),
          );
        },
        EXHAUSTIVE_MS,
      );

      test("blank lines between events", async () => {
        expect(comparable(await askWithText(samples, `\n\n${splitEvents(text).join("\n\n\n")}`))).toEqual(
          await expected(),
        );
      });

      test("an unknown event at every place", async () => {
        const events = splitEvents(text);
        const whole = await expected();
        for (let at = 0; at <= events.length; at += 1) {
          const noisy = events.toSpliced(at, 0, samples.unknownEvent).join("");
          expect(comparable(await askWithText(samples, noisy))).toEqual(whole);
        }
      });

      test("the last blank line missing", async () => {
        expect(comparable(await askWithText(samples, text.trimEnd()))).toEqual(await expected());
      });

      test("cut after every event: an error until the answer is complete", async () => {
        const { before, terminal } = splitAtTerminal(samples, text);
        for (let count = 0; count <= before.length; count += 1) {
          expectTruncated(await ask(samples, sendEvents(before.slice(0, count).join(""))));
        }
        expectComplete(
          await ask(samples, sendEvents([...before, terminal].join(""))),
          await askWithText(samples, text),
        );
      });

      test(
        "cut at every byte: an error until the answer is complete",
        async () => {
          const { before, terminal } = splitAtTerminal(samples, text);
          const whole = await askWithText(samples, text);
          // A server that omits the last line end has still sent its event.
          const completeAt = toBytes(before.join("") + terminal.trimEnd()).length;
          for (let length = 0; length <= bytes.length; length += 1) {
            const answer = await askWithChunks(samples, [bytes.subarray(0, length)]);
            if (length < completeAt) expectTruncated(answer);
            else expectComplete(answer, whole);
          }
        },
        EXHAUSTIVE_MS,
      );
    });
  }
}

function expectTruncated({ failure, message }: CheckedAnswer): void {
  expect(failure).toEqual({ kind: "truncated" });
  expect(message.errorMessage).toBe("Provider stream ended before completion");
}

/** Statistics may be missing, content may not. */
function expectComplete({ failure, message }: CheckedAnswer, whole: CheckedAnswer): void {
  expect(failure).toBeUndefined();
  expect(message).toMatchObject({ content: whole.message.content, stopReason: whole.message.stopReason });
}
