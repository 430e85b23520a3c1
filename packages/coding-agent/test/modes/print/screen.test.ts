import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { elapsedText, Screen, type ScreenParts } from "../../../src/modes/print/screen.ts";

let written: string[] = [];
let now = 0;

function screen(parts: Partial<ScreenParts> = {}): Screen {
  return new Screen({
    output: { write: (fd, text) => void written.push(`${fd}:${text}`), busy: undefined },
    isStreaming: true,
    isAnimated: true,
    hasColors: false,
    columns: () => 20,
    now: () => now,
    ...parts,
  });
}

beforeEach(() => {
  written = [];
  now = 0;
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const ERASE = "2:\r\u001b[2K";

test("what is waited for is drawn with the time, cut to the terminal, and gone before anything else is written", () => {
  const shown = screen();
  shown.activity("bash npm run everything");
  now = 61_000;
  jest.advanceTimersByTime(120);
  shown.text("Hi");
  shown.line("pintle: x");
  shown.activity(undefined);
  expect(written).toEqual([`${ERASE}/ 1m 01s bash npm …`, ERASE, "1:Hi", "1:\n", "2:pintle: x\n"]);
});

test("nothing is drawn into a line of the answer, nor on a terminal that is behind", () => {
  const shown = screen();
  shown.activity("x");
  shown.text("Hi");
  jest.advanceTimersByTime(1000);
  expect(written).toEqual(["1:Hi"]);
  const slow = screen({ output: { write: (_, text) => void written.push(text), busy: Promise.resolve() } });
  slow.activity("x");
  jest.advanceTimersByTime(1000);
  shown.close();
  slow.close();
  expect(written).toEqual(["1:Hi", "1:\n"]);
});

test("where nothing can be drawn again there is nothing but lines, and they are whole", () => {
  const shown = screen({ isAnimated: false });
  shown.activity("x");
  jest.advanceTimersByTime(1000);
  shown.progress("> a line that is longer than twenty columns");
  shown.close();
  expect(written).toEqual(["2:> a line that is longer than twenty columns\n"]);
});

test("messages are paragraphs; a character that comes in two halves is one", () => {
  const shown = screen();
  shown.text("a\ud83d");
  shown.text("\ude00");
  shown.endText();
  shown.endText();
  shown.text("b\n");
  shown.close();
  expect(written).toEqual(["1:a", "1:😀", "1:\n", "1:\nb\n"]);
});

test.each([
  [0, "0s"],
  [59_999, "59s"],
  [60_000, "1m 00s"],
  [3_725_000, "62m 05s"],
])("%d ms", (ms, text) => {
  expect(elapsedText(ms)).toBe(text);
});
