import { expect, test } from "bun:test";
import { MarkdownLines } from "../../src/markdown/markdown-lines.ts";
import { MarkdownSplitter } from "../../src/markdown/markdown-splitter.ts";
import { createTheme } from "../../src/screen/theme.ts";

test("a code block is indented below its language, without fences", () => {
  const splitter = new MarkdownSplitter();
  const pieces = [...splitter.append("Run this:\n\n```sh\nls\n```\n\nDone.\n"), ...splitter.end()];
  const markdown = new MarkdownLines(createTheme({}));
  const lines = pieces.flatMap((piece, index) => markdown.render(piece, 40, { isFirst: index === 0 }));
  expect(lines.map((line) => Bun.stripANSI(line))).toEqual(["Run this:", "", "  sh", "  ls", "", "Done."]);
});
