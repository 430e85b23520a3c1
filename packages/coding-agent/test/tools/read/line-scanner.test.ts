import { expect, test } from "bun:test";
import fc from "fast-check";
import { LineScanner } from "../../../src/tools/read/line-scanner.ts";

/** Whole lines with their newlines; the last may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

const text = fc.string({ unit: fc.constantFrom("a", "\n", "é"), maxLength: 60 });
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 10 });
const ranges = fc.record({
  firstLine: fc.integer({ min: 1, max: 12 }),
  maxLines: fc.integer({ min: 1, max: 8 }),
  maxBytes: fc.integer({ min: 1, max: 20 }),
});

function scan(
  input: string,
  chunkSizes: readonly number[],
  range: { firstLine: number; maxLines: number; maxBytes: number },
) {
  const scanner = new LineScanner(range);
  const bytes = Buffer.from(input);
  const reused = Buffer.alloc(9);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = bytes.copy(reused, 0, at, at + chunkSizes[turn % chunkSizes.length]!);
    expect(scanner.push(reused.subarray(0, size))).toBe(true);
    at += size;
  }
  return scanner.finish();
}

test("gives the same lines however the text is cut", () => {
  fc.assert(
    fc.property(text, cuts, ranges, (input, chunkSizes, range) => {
      const { firstLine, maxLines, maxBytes } = range;
      const all = linesOf(input);
      const wanted = all.slice(firstLine - 1, firstLine - 1 + maxLines);
      const kept: string[] = [];
      for (const line of wanted) {
        const candidate = [...kept, line].join("").replace(/\n$/, "");
        if (Buffer.byteLength(candidate) > maxBytes) break;
        kept.push(line);
      }
      const result = scan(input, chunkSizes, range);
      const isCutByBytes = kept.length < wanted.length;
      const hasMore = all.length > firstLine - 1 + kept.length;
      expect({ ...result, bytes: result.bytes.toString(), longLine: undefined }).toEqual({
        bytes: kept.join(""),
        count: kept.length,
        stoppedBy: isCutByBytes ? "bytes" : hasMore ? "lines" : "end",
        totalLines: all.length,
        isTotalExact: true,
        longLine: undefined,
      });
      const long = isCutByBytes && kept.length === 0 ? wanted[0]! : undefined;
      expect(result.longLine).toEqual(
        long === undefined
          ? undefined
          : {
              start: Buffer.byteLength(all.slice(0, firstLine - 1).join("")),
              bytes: Buffer.byteLength(long.replace(/\n$/, "")),
              isWhole: true,
            },
      );
    }),
    { numRuns: 1000 },
  );
});
