import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { OutputResolver } from "../../../src/processes/output/output-resolver.ts";
import { toPlainText } from "../../../src/processes/output/terminal-text.ts";

function resolve(chunks: readonly Uint8Array[]): string {
  const settled: Uint8Array[] = [];
  const resolver = new OutputResolver((bytes) => settled.push(bytes));
  for (const chunk of chunks) resolver.add(chunk);
  resolver.end();
  return toPlainText(Buffer.concat(settled), { hasStart: true, hasEnd: true });
}

const shown = (raw: string) => resolve([Buffer.from(raw)]);

describe("a terminal would show", () => {
  test.each([
    ["the last state of a progress bar", " 10%\r 50%\r100%\n", "100%\n"],
    ["what a shorter text leaves of a longer one", "abcdef\rxy\n", "xycdef\n"],
    ["nothing of what was erased to the end of the line", "downloading 10%\rdone\x1b[K\n", "done\n"],
    ["nothing of a line that was erased", "working\x1b[2K\rready\n", "ready\n"],
    ["nothing of what blanks were written over", "working...\r          \rok\n", "ok\n"],
    ["blanks for what was erased before the cursor", "abcdef\x1b[3G\x1b[1K\n", "   def\n"],
    ["letters once, that were written bold by backspaces", "b\bbo\bo_\bx\n", "box\n"],
    ["lines of Windows as lines", "one\r\ntwo\r\r\nthree", "one\ntwo\nthree"],
    ["several bars, of which each is drawn anew", "a 1\nb 1\n\x1b[2Aa 2\x1b[K\nb 2\x1b[K\n", "a 2\nb 2\n"],
    ["nothing of rows below that were erased", "one\ntwo\nthree\x1b[2F\x1b[Jlast\n", "last\n"],
    ["text at the column that was named", "ab\x1b[10Gcd\x1b[2Def\n", "ab       ef\n"],
    ["columns further right and rows further down", "a\nb\x1b[A\x1b[2Cx\x1b[By\n", "a  x\nb   y\n"],
    ["wide characters as two columns", "日本語\rab\n", "ab本語\n"],
    ["no half of a wide character", "日本語\rabc\n", "abc 語\n"],
    ["accents on their letters", "xe\u0301\rab\n", "ab\n"],
    ["tabs, where nothing is written over them", "a\tb\tc\rA\n", "A\tb\tc\n"],
    ["blanks for a tab that something is written into", "a\tb\r12345\n", "12345   b\n"],
    ["the last state without a newline", "1%\r2%\r3%", "3%"],
    ["a line to whose beginning the cursor went back last", "99%\r", "99%"],
    ["coloured text without its colours", "\x1b[31mred\x1b[0m \x1b]0;title\x07text\n", "red text\n"],
    ["blanks at the end of lines that nothing was written over", "two  \nx\ry\n", "two  \ny\n"],
  ])("%s", (_, raw, expected) => expect(shown(raw)).toBe(expected));

  test("a cursor that goes further up than there are rows as one in the first", () => {
    expect(shown("one\ntwo\n\x1b[99Afirst\n")).toBe("first\ntwo\n");
  });
});

test("text at the right edge is not a kilobyte of blanks away, and a long line is still reached to its end", () => {
  expect(shown("start\x1b[999C\x1b[4D[ok]\n")).toMatch(/^start {150,250}\[ok\]\n$/);
  expect(shown(`${"x".repeat(1000)}\r\x1b[999Cy\n`)).toBe(`${"x".repeat(999)}y\n`);
});

test("what a long progress bar costs does not grow with it", () => {
  const settled: number[] = [];
  const resolver = new OutputResolver((bytes) => settled.push(bytes.length));
  for (let step = 0; step <= 100_000; step += 1) resolver.add(Buffer.from(`\r[${"#".repeat(step % 50)}] ${step}`));
  expect(settled).toEqual([]);
  expect(resolver.pending().length).toBeLessThan(100);
});

test("a line without an end is settled in parts, and nothing of it is lost", () => {
  const line = "x".repeat(100_000);
  expect(shown(`\r${line}`)).toBe(line);
  expect(resolve(Array.from({ length: 1000 }, () => Buffer.from(`${"y".repeat(99)}\b${"y"}`)))).toBe(
    "y".repeat(99_000),
  );
});

test("accents without end on one letter stay short", () => {
  expect(shown(`\ra${"\u0301".repeat(100_000)}\n`).length).toBeLessThan(50);
});

const pieces = fc.constantFrom(
  ..."ab é 日 😀 \n \r\n \r \b 12345 \x1b[K \x1b[2K \x1b[A \x1b[1F \x1b[3C \x1b[2D \x1b[4G \x1b[J \x1b[31m \x1b]0;t\x07 \x1b(B".split(
    " ",
  ),
);

function divided(raw: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts.filter((cut) => cut < raw.length))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => raw.subarray(start, ends[index] ?? raw.length));
}

const withoutBlanks = (text: string) => text.replace(/ +$/gm, "");

test("is the same wherever the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), fc.array(fc.nat(100)), (parts, cuts) => {
      const raw = Buffer.from(parts.join(""));
      expect(withoutBlanks(resolve(divided(raw, cuts)))).toBe(withoutBlanks(resolve([raw])));
    }),
    { numRuns: 2000 },
  );
});

test("text that moves nothing passes as it is, however it is cut and however long it is", () => {
  const text = fc.array(fc.constantFrom("a", "é", "€", "😀", "\n", "\t", "x".repeat(3000), "line\n".repeat(700)));
  fc.assert(
    fc.property(text, fc.array(fc.nat(20_000)), (parts, cuts) => {
      const raw = Buffer.from(parts.join(""));
      expect(resolve(divided(raw, cuts)) === raw.toString()).toBe(true);
    }),
  );
});

test("whatever the bytes are, nothing is thrown and no control character is left", () => {
  const bytes = fc.array(fc.oneof(fc.constantFrom(0x1b, 0x5b, 0x0d, 0x08, 0x0a, 0x41, 0x4b, 0x32), fc.nat(255)));
  fc.assert(
    fc.property(fc.array(bytes), (chunks) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the question
      expect(resolve(chunks.map((chunk) => Uint8Array.from(chunk)))).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
  );
});
