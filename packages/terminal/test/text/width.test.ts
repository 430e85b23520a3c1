import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { padded, truncated, widthOf } from "../../src/text/width.ts";
import { wrapped } from "../../src/text/wrap.ts";

describe("widths", () => {
  test.each([
    ["", 0],
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本語", 6],
    ["ｆｕｌｌ", 8],
    ["한글", 4],
    ["\u1112\u1161\u11ab", 2],
    ["🙂", 2],
    ["👍🏽", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["🧑🏽‍💻", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["❤", 1],
    ["1️⃣", 2],
    ["नि", 1],
    ["─│┌", 3],
    ["…→✓", 3],
    ["\u001b[31mred\u001b[39m", 3],
    ["\u001b]8;;https://a.test\u0007link\u001b]8;;\u0007", 4],
    ["\u001b]8;;https://a.test\u001b\\link\u001b]8;;\u001b\\", 4],
  ])("%j takes %d columns", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  const piece = fc.constantFrom(
    "a",
    "word",
    " ",
    "  ",
    "日本",
    "🙂",
    "👨‍👩‍👧‍👦",
    "e\u0301",
    "\u001b[1mb\u001b[22m",
    "longerword",
  );
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
  const width = fc.integer({ min: 2, max: 20 });

  test("truncated text fits and is a beginning of the text", () => {
    fc.assert(
      fc.property(text, width, (given, columns) => {
        const cut = Bun.stripANSI(truncated(given, columns));
        expect(widthOf(cut)).toBeLessThanOrEqual(columns);
        expect(Bun.stripANSI(given).startsWith(cut.replace(/…$/, ""))).toBe(true);
        expect(widthOf(padded(cut, columns))).toBe(columns);
      }),
    );
  });

  test("wrapped lines fit, and nothing but spaces is lost", () => {
    fc.assert(
      fc.property(text, width, (given, columns) => {
        const lines = wrapped(given, columns);
        const visible = (value: string) => Bun.stripANSI(value).replaceAll(" ", "");
        expect(visible(lines.join(""))).toBe(visible(given));
        for (const line of lines) expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test("each line closes its styles", () => {
    expect(wrapped("\u001b[31mone two\u001b[39m", 4)).toEqual(["\u001b[31mone\u001b[39m", "\u001b[31mtwo\u001b[39m"]);
  });

  test("wrapped lines keep their indentation", () => {
    expect(wrapped("  const a = 1;", 9)).toEqual(["  const a", "  = 1;"]);
  });
});

test("every wrapped row has its styles by itself, also colours of 24 bits and several styles at once", () => {
  const text = "\u001b[1m\u001b[38;2;1;2;3maaaa \u001b[48;5;7mbbbb cccc\u001b[49m dddd\u001b[39m\u001b[22m eeee";
  const on = ["1", "38;2;1;2;3"];
  const rows = wrapped(text, 4);
  expect(rows.map((row) => Bun.stripANSI(row))).toEqual(["aaaa", "bbbb", "cccc", "dddd", "eeee"]);
  for (const [row, styles] of [
    [1, [...on, "48;5;7"]],
    [2, [...on, "48;5;7"]],
    [3, on],
  ] as const) {
    for (const style of styles) expect(rows[row]).toContain(`\u001b[${style}m`);
  }
  for (const row of rows.slice(0, 4))
    expect([row.includes("\u001b[22m"), row.includes("\u001b[39m")]).toEqual([true, true]);
  expect(rows[3]).not.toContain("48;5;7");
  expect(rows[4]).not.toContain("38;2");
});
