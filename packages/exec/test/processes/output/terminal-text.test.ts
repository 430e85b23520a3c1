import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  keepTail,
  PlainTextStream,
  toPlainText,
  withoutStillSequences,
} from "../../../src/processes/output/terminal-text.ts";

const whole = { hasStart: true, hasEnd: true };
const plain = (text: string) => toPlainText(Buffer.from(text), whole);
const unlimited = { maxLines: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

describe("plain text", () => {
  test.each([
    ["colours", "\x1b[1;31mred\x1b[0m\n", "red\n"],
    ["cursor movement", "\x1b[2K\x1b[1Gdone\x1b[?25h", "done"],
    ["a window title", "\x1b]0;title\x07text", "text"],
    ["a link", "\x1b]8;;http://x/\x1b\\name\x1b]8;;\x1b\\", "name"],
    ["device strings", "a\x1bPq#0\x1b\\b\x1b_app\x1b\\c", "abc"],
    ["character sets and keypad modes", "\x1b(B\x1b=a\x1b>\x1b7b\x1b8", "ab"],
    ["a title that is never ended", "\x1b]0;title\nnext line", "\nnext line"],
    ["a sequence cut off by the end", "a\x1b[3", "a"],
    ["a lone escape", "a\x1b\nb\x1b", "a\nb"],
    ["line endings of Windows", "a\r\nb\r\n", "a\nb\n"],
    ["a bell, backspaces, NUL, delete", "a\x07\b\0\x7fb", "ab"],
    ["control characters above U+0080", "a\u0085\u009db", "ab"],
    ["tabs and newlines, which stay", "\ta\n", "\ta\n"],
    ["a byte order mark, which stays", "\ufeffa", "\ufeffa"],
    ["letters of all lengths, which stay", "aé€😀", "aé€😀"],
  ])("%s", (_, raw, expected) => expect(plain(raw)).toBe(expected));

  test("bytes that are no UTF-8 become replacement characters", () => {
    expect(toPlainText(Uint8Array.of(0xff, 0x61, 0xc3), whole)).toBe("\ufffda\ufffd");
  });

  test("a character whose end may still come is left out", () => {
    expect(toPlainText(Buffer.from("a😀").subarray(0, 4), { hasStart: true, hasEnd: false })).toBe("a");
  });

  test("a cut before any byte of a text leaves no broken character", () => {
    const bytes = Buffer.from("aé€😀ü日本👩‍👩‍👧z");
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const text = toPlainText(bytes.subarray(cut), { hasStart: false, hasEnd: true });
      expect(text).not.toContain("\ufffd");
      expect(bytes.toString().endsWith(text)).toBe(true);
    }
  });

  test("whatever the bytes, nothing but newline and tab is left of control characters", () => {
    const bytes = fc.array(fc.oneof(fc.constantFrom(0x1b, 0x5b, 0x5d, 0x07, 0x0a, 0x9b, 0xc2), fc.nat(255)));
    fc.assert(
      fc.property(bytes, (list) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the question
        expect(toPlainText(Uint8Array.from(list), whole)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      }),
    );
  });
});

describe("the tail of a text", () => {
  test.each([
    ["a\nb\nc\n", 2, "b\nc\n"],
    ["a\nb\nc", 2, "b\nc"],
    ["a\nb\n", 2, "a\nb\n"],
    ["\n\n\n", 1, "\n"],
    ["\na", 1, "a"],
    ["", 1, ""],
    ["a\n", 0, ""],
  ])("%j in at most %i lines", (text, maxLines, expected) => {
    const kept = keepTail(text, { ...unlimited, maxLines });
    expect(kept).toMatchObject({ text: expected, isCut: text !== expected });
  });

  test("begins with a whole line", () => {
    expect(keepTail("one\ntwo\nthree\n", { ...unlimited, maxBytes: 12 })).toEqual({
      text: "two\nthree\n",
      lines: 2,
      bytes: 10,
      isCut: true,
    });
  });

  test("begins inside a line that is longer than half of what fits", () => {
    expect(keepTail(`${"x".repeat(50)}\nok\n`, { ...unlimited, maxBytes: 20 })).toEqual({
      text: `${"x".repeat(16)}\nok\n`,
      lines: 2,
      bytes: 20,
      isCut: true,
    });
  });

  test("is a suffix within both limits, never beginning inside a character", () => {
    const text = fc.array(fc.constantFrom("a", "é", "€", "😀", "\n"), { maxLength: 200 }).map((list) => list.join(""));
    fc.assert(
      fc.property(text, fc.nat(30), fc.nat(400), (all, maxLines, maxBytes) => {
        const kept = keepTail(all, { maxLines, maxBytes });
        const lines = kept.text.split("\n").length - (kept.text === "" || kept.text.endsWith("\n") ? 1 : 0);
        expect(all.endsWith(kept.text)).toBe(true);
        expect(kept.text).not.toContain("\ufffd");
        expect(kept).toMatchObject({ lines, bytes: Buffer.byteLength(kept.text), isCut: kept.text !== all });
        expect(lines).toBeLessThanOrEqual(maxLines);
        expect(kept.bytes).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });
});

describe("plain text as it comes", () => {
  const pieces = fc.constantFrom(
    "\x1b[1;31m",
    "\x1b]0;title\x07",
    "\x1b]8;;u\x1b\\",
    "\x1b(B",
    "a",
    "é",
    "😀",
    "\r\n",
    "\0",
  );

  test("is the same wherever the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(pieces), fc.array(fc.nat(60)), (parts, cuts) => {
        const raw = Buffer.from(parts.join(""));
        const stream = new PlainTextStream();
        const ends = [...new Set(cuts.filter((cut) => cut < raw.length))].sort((a, b) => a - b);
        const starts = [0, ...ends];
        const texts = starts.map((start, index) => stream.add(raw.subarray(start, ends[index] ?? raw.length)));
        expect(texts.join("") + stream.end()).toBe(toPlainText(raw, whole));
      }),
    );
  });

  test("an escape that is never ended holds back a bounded part", () => {
    const stream = new PlainTextStream();
    const shown = stream.add(Buffer.from(`\x1b]${"x".repeat(10_000)}`)) + stream.add(Buffer.from("\nnext"));
    expect(shown + stream.end()).toEndWith("\nnext");
  });

  test("keeps carriage returns that overwrite a line, wherever it is cut", () => {
    const raw = "1%\r\x1b[K\x1b[32m2%\x1b[0m\x1b[2K\x1b[1G3%\r\r\n4%\r\nend\r";
    for (let cut = 0; cut <= raw.length; cut += 1) {
      const stream = new PlainTextStream();
      const [first, second] = [stream.add(Buffer.from(raw.slice(0, cut))), stream.add(Buffer.from(raw.slice(cut)))];
      const told = (first + second + stream.end()).replace(/\r+(?=\n)/g, "");
      expect(told.replace(/\r+/g, "\r")).toBe("1%\r2%\r3%\n4%\nend");
    }
  });
});

// With a quadratic cost, this would exceed any test's time limit.
test("a million carriage returns without a newline cost as much as other text", () => {
  const returns = "\r".repeat(1_000_000);
  expect(withoutStillSequences(`${returns}x`)).toEqual({ text: `${returns}x`, open: "" });
  expect(withoutStillSequences(`a${returns}\nb`).text).toBe("a\nb");
});
