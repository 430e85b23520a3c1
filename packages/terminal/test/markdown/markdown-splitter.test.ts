import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MarkdownSplitter, type Piece } from "../../src/markdown/markdown-splitter.ts";

function split(...deltas: string[]): Piece[] {
  const splitter = new MarkdownSplitter();
  return [...deltas.flatMap((delta) => splitter.append(delta)), ...splitter.end()];
}

const block = fc.constantFrom(
  "A paragraph\nof two lines.",
  "# Head",
  "- one\n- two\n\n  more of two",
  "1. first\n\n   indented\n2. second",
  "```ts\nconst a = 1;\n\nconst b = 2;\n```",
  "~~~\n```\n~~~",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "> quoted",
  "日本語 🙂",
);
const text = fc.array(block, { minLength: 1, maxLength: 6 }).map((blocks) => blocks.join("\n\n"));

describe("parts of a growing text", () => {
  test("the result does not depend on how the text is cut into deltas", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(40), { maxLength: 20 }), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
        const deltas = at.slice(1).map((end, index) => whole.slice(at[index], end));
        expect(split(...deltas)).toEqual(split(whole));
      }),
    );
  });

  test("no text is lost", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const words = (source: string) => source.replace(/[`~]{3,}(ts)?|\s/g, "");
        const shown = split(whole).map((piece) => ("text" in piece ? piece.text : ""));
        expect(words(shown.join("\n"))).toBe(words(whole));
      }),
    );
  });

  test("a block is final when the next one begins, a line of code when it ends", () => {
    const splitter = new MarkdownSplitter();
    expect(splitter.append("one\n\n")).toEqual([]);
    expect(splitter.open).toEqual({ type: "markdown", text: "one\n\n", isContinued: false });
    expect(splitter.append("two\n```sh\nls")).toEqual([
      { type: "markdown", text: "one", isContinued: false },
      { type: "markdown", text: "two", isContinued: false },
      { type: "codeStart", language: "sh" },
    ]);
    expect(splitter.open).toEqual({ type: "codeLine", text: "ls" });
    expect(splitter.append("\n```\n")).toEqual([{ type: "codeLine", text: "ls" }, { type: "codeEnd" }]);
    expect(splitter.open).toBeUndefined();
  });

  test("the open part is bounded, whatever the text", () => {
    const splitter = new MarkdownSplitter();
    for (let index = 0; index < 500; index += 1)
      splitter.append("a line without an end of its block ".repeat(8) + (index % 3 ? " " : "\n"));
    const { open } = splitter;
    expect(open && "text" in open ? open.text.length : 0).toBeLessThan(10_000);
  });
});
