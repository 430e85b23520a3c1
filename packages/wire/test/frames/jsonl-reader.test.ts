import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { JsonlReader } from "../../src/frames/jsonl-reader.ts";

const OVERLONG = Symbol("overlong line");

function readChunks(chunks: Iterable<Uint8Array>, maxLineBytes?: number): (string | symbol)[] {
  const seen: (string | symbol)[] = [];
  const reader = new JsonlReader(
    { onLine: (text) => seen.push(text), onOverlongLine: () => seen.push(OVERLONG) },
    maxLineBytes,
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return seen;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const read = (text: string, maxLineBytes?: number) => readChunks([utf8(text)], maxLineBytes);

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let start = 0;
  for (let i = 0; start < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    chunks.push(bytes.subarray(start, start + size));
    start += size;
  }
  return chunks;
}

describe("line ends", () => {
  test("several frames in one chunk come in order", () => {
    expect(read('{"a":1}\n{"b":2}\n{"c":3}\n')).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  });

  test("only LF ends a line", () => {
    const separators = "a\u2028b\u2029c\u0085d\fe\vf\rg";
    expect(read(`${separators}\nnext\n`)).toEqual([separators, "next"]);
  });

  test("exactly one trailing CR is dropped", () => {
    expect(read("one\r\ntwo\r\r\n\rthree\n")).toEqual(["one", "two\r", "\rthree"]);
  });

  test("a CR that ends one chunk belongs to the LF that starts the next", () => {
    expect(readChunks([utf8("one\r"), utf8("\ntwo")])).toEqual(["one", "two"]);
  });

  test("blank and whitespace-only lines are ignored", () => {
    expect(read("\n\r\n  \t \n{}\n\n   ")).toEqual(["{}"]);
  });

  test("a last line without LF is delivered", () => {
    expect(read('{"a":1}\n{"b":')).toEqual(['{"a":1}', '{"b":']);
    expect(read("last\r")).toEqual(["last"]);
    expect(read("")).toEqual([]);
  });
});

describe("decoding", () => {
  test("a BOM is dropped at the start of the stream only", () => {
    expect(read("\uFEFF{}\n\uFEFF{}\n")).toEqual(["{}", "\uFEFF{}"]);
    expect(readChunks(cut(utf8("\uFEFF{}\n"), [1]))).toEqual(["{}"]);
    expect(read("\uFEFF\n\uFEFFx")).toEqual(["\uFEFFx"]);
  });

  test("invalid UTF-8 becomes U+FFFD and does not disturb the next line", () => {
    const broken = new Uint8Array([0x22, 0xff, 0xc3, 0x22, 0x0a, 0x22, 0xc3, 0xa4, 0x22, 0x0a]);
    expect(readChunks([broken])).toEqual(['"\uFFFD\uFFFD"', '"ä"']);
  });

  test("a sequence left open by a line is not completed by the next one", () => {
    expect(readChunks([new Uint8Array([0x41, 0xc3, 0x0a, 0xa4, 0x42, 0x0a])])).toEqual(["A\uFFFD", "\uFFFDB"]);
  });

  test("a reused chunk buffer does no harm", () => {
    const chunk = new Uint8Array(4);
    const seen: string[] = [];
    const reader = new JsonlReader({ onLine: (text) => seen.push(text), onOverlongLine: () => {} });
    for (const text of ["abcd", "efgh", "ij\nk"]) {
      chunk.set(utf8(text));
      reader.push(chunk);
    }
    reader.end();
    expect(seen).toEqual(["abcdefghij", "k"]);
  });
});

describe("overlong lines", () => {
  test("are reported once and skipped up to their LF", () => {
    expect(read("12345678\n123456789\n1234\n", 8)).toEqual(["12345678", OVERLONG, "1234"]);
    expect(readChunks(cut(utf8("123456789012345678\n1234\n"), [3]), 8)).toEqual([OVERLONG, "1234"]);
    expect(readChunks(cut(utf8("1234567890"), [3]), 8)).toEqual([OVERLONG]);
  });

  test("are reported before their end has arrived", () => {
    const seen: string[] = [];
    const reader = new JsonlReader(
      { onLine: (text) => seen.push(text), onOverlongLine: () => seen.push("overlong") },
      4,
    );
    reader.push(utf8("12345"));
    expect(seen).toEqual(["overlong"]);
  });
});

describe("any chunking gives the same lines", () => {
  const pieces = fc.constantFrom(
    "\n",
    "\r",
    "\r\n",
    "\uFEFF",
    "\u2028",
    "ä",
    "漢",
    "😀",
    " ",
    "{}",
    '"text"',
    "\ud800",
  );
  const text = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(""));
  const bytes = fc.oneof(text.map(utf8), fc.uint8Array({ maxLength: 80 }));
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });

  test("as reading it whole", () => {
    fc.assert(
      fc.property(bytes, sizes, fc.integer({ min: 1, max: 40 }), (input, chunkSizes, maxLineBytes) => {
        expect(readChunks(cut(input, chunkSizes), maxLineBytes)).toEqual(readChunks([input], maxLineBytes));
      }),
      { numRuns: 1000 },
    );
  });

  test("as splitting the decoded text, when it is valid", () => {
    const line = fc.string({ unit: "grapheme" }).filter((s) => !/[\n\r\uFEFF]/.test(s) && s.trim() !== "");
    fc.assert(
      fc.property(fc.array(line), sizes, fc.constantFrom("\n", "\r\n"), (lines, chunkSizes, lineEnd) => {
        const input = utf8(lines.map((l) => l + lineEnd).join(""));
        expect(readChunks(cut(input, chunkSizes))).toEqual(lines);
      }),
    );
  });
});

describe("cost", () => {
  /** Counts only byte views passed to the reader: no clock, so no flaky limit. */
  test("each chunk is searched for LF once", () => {
    let searched = 0;
    class CountingChunk extends Uint8Array {
      override indexOf(value: number, from = 0): number {
        searched += this.length - from;
        return super.indexOf(value, from);
      }
    }
    const chunk = new CountingChunk(1024).fill(0x61);
    const seen: number[] = [];
    const reader = new JsonlReader({ onLine: (text) => seen.push(text.length), onOverlongLine: () => {} });
    for (let i = 0; i < 1024; i++) reader.push(chunk);
    reader.end();
    expect(seen).toEqual([1024 * 1024]);
    expect(searched).toBe(1024 * 1024);
  });

  test("a 64 MiB line passes in chunks of any size", () => {
    const size = 64 * 1024 * 1024;
    const block = new Uint8Array(64 * 1024).fill(0x61);
    const lengths: number[] = [];
    const reader = new JsonlReader({ onLine: (text) => lengths.push(text.length), onOverlongLine: () => {} });
    for (let i = 0; i < size / block.length; i++) reader.push(block);
    reader.push(utf8("\n"));
    const small = block.subarray(0, 16);
    for (let i = 0; i < size / 16; i++) reader.push(small);
    reader.push(utf8("\n"));
    expect(lengths).toEqual([size, size]);
  });
});
