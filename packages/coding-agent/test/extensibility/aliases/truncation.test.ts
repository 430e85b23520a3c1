import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatSize, truncateHead, truncateLine, truncateTail } from "../../../src/extensibility/aliases/truncation.ts";

const texts = fc
  .array(fc.string({ maxLength: 12, unit: "grapheme" }), { maxLength: 20 })
  .map((lines) => lines.join("\n"));
const limits = fc.record({ maxLines: fc.integer({ min: 1, max: 12 }), maxBytes: fc.integer({ min: 1, max: 120 }) });

describe("truncation", () => {
  test("keeps within both limits, at the requested end, and reports what is missing", () => {
    fc.assert(
      fc.property(texts, limits, (text, { maxLines, maxBytes }) => {
        const head = truncateHead(text, { maxLines, maxBytes });
        const tail = truncateTail(text, { maxLines, maxBytes });
        expect(text.startsWith(head.content)).toBe(true);
        expect(text.endsWith(tail.content)).toBe(true);
        for (const { content, outputBytes, outputLines, totalBytes, truncated, truncatedBy } of [head, tail]) {
          expect(Buffer.byteLength(content)).toBeLessThanOrEqual(truncated ? maxBytes : Math.max(maxBytes, totalBytes));
          expect(outputLines).toBeLessThanOrEqual(truncated ? maxLines : Number.POSITIVE_INFINITY);
          expect(totalBytes).toBe(Buffer.byteLength(text));
          expect(truncatedBy === null).toBe(!truncated);
          if (truncated) expect(outputBytes).toBe(Buffer.byteLength(content));
        }
      }),
    );
  });

  test("handles a first line that is too long, and a truncated last line", () => {
    expect(truncateHead("long line", { maxBytes: 4 })).toMatchObject({ content: "", firstLineExceedsLimit: true });
    expect(truncateTail("long line", { maxBytes: 4 })).toMatchObject({ content: "line", lastLinePartial: true });
    expect(truncateTail("one\ntwo", { maxLines: 1 })).toMatchObject({
      content: "two",
      lastLinePartial: false,
      totalLines: 2,
    });
  });

  test("formats lines and sizes for people", () => {
    expect(truncateLine("abc", 5)).toEqual({ text: "abc", wasTruncated: false });
    expect(truncateLine("abcdef", 5)).toEqual({ text: "abcde... [truncated]", wasTruncated: true });
    expect([0, 1023, 1024, 51_200, 3 * 1024 ** 2].map(formatSize)).toEqual(["0B", "1023B", "1.0KB", "50.0KB", "3.0MB"]);
  });
});
