import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cutToBytes } from "../../../../foundation/src/text/cut-to-bytes.ts";
import { formatBytes, truncateHead } from "../../../src/tools/shared/truncate.ts";

const text = fc
  .array(fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\ud800"), maxLength: 8 }), { maxLength: 10 })
  .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`));

describe("truncateHead", () => {
  test("what fits is left alone, its last newline too", () => {
    expect(truncateHead("a\nb\n", { maxLines: 2, maxBytes: 4 })).toEqual({ text: "a\nb\n" });
    expect(truncateHead("", { maxLines: 1, maxBytes: 1 })).toEqual({ text: "" });
  });

  test("a final newline does not cause a line to be left out", () => {
    expect(truncateHead("ab\n", { maxLines: 1, maxBytes: 2 })).toEqual({ text: "ab" });
  });

  test("says by which limit and how much", () => {
    const facts = { truncated: true as const, totalLines: 3, totalBytes: 8, outputLines: 1 };
    expect(truncateHead("é\nb\ncc\n", { maxLines: 1, maxBytes: 99 })).toEqual({
      text: "é",
      truncation: { ...facts, truncatedBy: "lines", outputBytes: 2, maxLines: 1, maxBytes: 99 },
    });
    expect(truncateHead("é\nb\ncc\n", { maxLines: 9, maxBytes: 3 })).toEqual({
      text: "é",
      truncation: { ...facts, truncatedBy: "bytes", outputBytes: 2, maxLines: 9, maxBytes: 3 },
    });
  });

  test("a first line that is too long leaves nothing", () => {
    expect(truncateHead("abc\nd", { maxLines: 9, maxBytes: 2 })).toMatchObject({
      text: "",
      truncation: { outputLines: 0 },
    });
  });

  test("is the longest beginning of whole lines within the limits", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 40 }),
        (input, maxLines, maxBytes) => {
          const { text: kept, truncation } = truncateHead(input, { maxLines, maxBytes });
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(maxBytes);
          expect(input.startsWith(kept)).toBe(true);
          const lines = input.replace(/\n$/, "").split("\n");
          if (!truncation) {
            expect([input, input.replace(/\n$/, "")]).toContain(kept);
            return;
          }
          const { outputLines } = truncation;
          expect(outputLines).toBeLessThanOrEqual(maxLines);
          expect(kept).toBe(lines.slice(0, outputLines).join("\n"));
          expect(truncation).toMatchObject({
            outputBytes: Buffer.byteLength(kept),
            totalBytes: Buffer.byteLength(input),
          });
          const oneMore = lines.slice(0, outputLines + 1).join("\n");
          expect(outputLines === maxLines || Buffer.byteLength(oneMore) > maxBytes).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("cutToBytes", () => {
  test("is the longest beginning that fits and splits no character", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 30 }), (input, maxBytes) => {
        const wellFormed = input.toWellFormed();
        const characters = [...wellFormed];
        let expected = "";
        for (const character of characters) {
          if (Buffer.byteLength(expected + character) > maxBytes) break;
          expected += character;
        }
        expect(cutToBytes(input, maxBytes).toWellFormed()).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1023, "1023 bytes"],
  [1024, "1 KB"],
  [1536, "1.5 KB"],
  [51_200, "50 KB"],
  [5 * 1024 ** 3, "5 GB"],
])("formatBytes(%i)", (bytes, expected) => {
  expect(formatBytes(bytes)).toBe(expected);
});
