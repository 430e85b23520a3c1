import { expect, test } from "bun:test";
import fc from "fast-check";
import { type MarkdownBlock, parseMarkdown } from "../../src/markdown/blocks.ts";
import { readOpenEnd } from "../../src/markdown/growing.ts";

const PIECES = [
  ..."abc \n\n\n-*#>|`1.) =_~",
  "\n- ",
  "\n1. ",
  "\n\n    ",
  "\n```\n",
  "\n| a | b |\n| - | - |\n",
  "\n---\n",
  "\n> ",
  "[x](y)",
  "**",
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(""));

test("text that arrives in parts has the blocks of the whole, and finished ones are never parsed again", () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (parts) => {
      const finished: MarkdownBlock[] = [];
      let tail = "";
      let last: MarkdownBlock[] = [];
      for (const part of parts) {
        const { blocks, open, rest } = readOpenEnd(tail + part);
        finished.push(...blocks.slice(0, open));
        last = blocks.slice(open);
        tail = rest;
      }
      expect([...finished, ...last]).toEqual(parseMarkdown(parts.join("")));
    }),
  );
});

test("a definition makes links of what follows it, in whichever part it came", () => {
  const links = Object.create(null);
  const { rest } = readOpenEnd("[a]: https://x.y/\n\nOne\n\nTwo\n", links);
  const { blocks } = readOpenEnd(`${rest}\n[a]`, links);
  expect([rest, JSON.stringify(blocks.at(-1))]).toEqual(["Two\n", expect.stringContaining('"href":"https://x.y/"')]);
});

test("a long text leaves a short rest", () => {
  const { open, rest } = readOpenEnd(`${"A paragraph.\n\n".repeat(1000)}The last`);
  expect([open, rest]).toEqual([999, "A paragraph.\n\nThe last"]);
});
