import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { blockLines } from "../../src/markdown/block-lines.ts";
import { createTheme } from "../../src/screen/theme.ts";
import { widthOf } from "../../src/text/width.ts";

const theme = createTheme({});
const plain = (text: string, width = 40) => blockLines(text, width, theme).map((line) => Bun.stripANSI(line).trimEnd());

describe("Markdown", () => {
  test("paragraphs, headings, emphasis, code and links", () => {
    expect(plain("# Head\n\n### Third\n\n**b** *i* ~~s~~ `c`\nsoft [t](https://x.test)\n\n---")).toEqual([
      "Head",
      "",
      "Third",
      "",
      "b i s c",
      "soft t (https://x.test)",
      "",
      "─".repeat(40),
    ]);
  });

  test("lists are nested, numbered as written, and wrapped below their text", () => {
    expect(
      plain("- one that is longer than the line\n- two\n  - three\n\n3. a\n4. b\n\n- [x] done\n- [ ] open", 20),
    ).toEqual([
      "• one that is longer",
      "  than the line",
      "• two",
      "  • three",
      "",
      "3. a",
      "4. b",
      "",
      "☑ done",
      "☐ open",
    ]);
  });

  test("tables are aligned, and wrapped where they are too wide", () => {
    expect(plain("| a | num |\n|---|--:|\n| 日本 | 2 |")).toEqual([
      "┌──────┬─────┐",
      "│ a    │ num │",
      "├──────┼─────┤",
      "│ 日本 │   2 │",
      "└──────┴─────┘",
    ]);
    expect(plain("| a | b |\n|---|---|\n| some words | more words |", 20).every((line) => widthOf(line) <= 20)).toBe(
      true,
    );
  });

  test("quotes and indented code", () => {
    expect(plain("> one\n> two\n\n    code()")).toEqual(["│ one", "│ two", "", "  code()"]);
  });

  test("control characters never pass, also as entities", () => {
    expect(plain("&#27;]0;x&#7; \u001b[2J [a](https://x.test/\u001b]0;y\u0007)").join("\n")).not.toMatch(
      /\p{Cc}(?<!\n)/u,
    );
  });

  test("no line of text, list or quote is wider than the window", () => {
    const part = fc.constantFrom(
      "word ",
      "日本語",
      "**bold** ",
      "`code` ",
      "\n",
      "\n\n",
      "- ",
      "> ",
      "# ",
      "👨‍👩‍👧‍👦",
      "1. ",
      "long".repeat(9),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 30, max: 60 }), (parts, width) => {
        for (const line of blockLines(parts.join(""), width, theme))
          expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(width);
      }),
    );
  });
});
