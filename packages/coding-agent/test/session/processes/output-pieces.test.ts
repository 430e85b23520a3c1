import { expect, test } from "bun:test";
import fc from "fast-check";
import { OutputPieces } from "../../../src/session/processes/output-pieces.ts";

test("everything is sent in order, in whole pieces of at most 8192 characters", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: "grapheme", maxLength: 5 }), fc.nat(5000)), { maxLength: 4 }),
      (parts) => {
        const text = parts
          .map(([piece, count]) => piece.repeat(count))
          .join("")
          .replace(/\p{Cc}/gu, "");
        const told: string[] = [];
        const output = new OutputPieces((piece) => {
          told.push(piece);
          return undefined;
        });
        void output.onChunk(Buffer.from(text));
        output.end();
        expect(told.join("")).toBe(text);
        expect(told.every((piece) => piece.length > 0 && piece.length <= 8192 && piece.isWellFormed())).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

test("who cannot keep up slows the command down", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const output = new OutputPieces(() => promise);
  const slow = output.onChunk(Buffer.from("x"));
  expect(slow).toBe(promise);
  resolve();
  await slow;
  expect(output.onChunk(Buffer.from([0xf0, 0x9f]))).toBeUndefined(); // half a character, so there is nothing to send yet
});

test("many small writes are sent together, and the rest at the end", () => {
  const told: string[] = [];
  const output = new OutputPieces((piece) => {
    told.push(piece);
    return undefined;
  });
  const written = Array.from({ length: 1000 }, (_, index) => `${index}\n`);
  for (const line of written) void output.onChunk(Buffer.from(line));
  output.end();
  expect(told.join("")).toBe(written.join(""));
  expect(told[0]).toBe("0\n"); // at once
  expect(told.length).toBeLessThan(100); // as many as a very slow machine needs intervals of 100 ms for this
});
