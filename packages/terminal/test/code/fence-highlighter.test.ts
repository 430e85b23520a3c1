import { expect, test } from "bun:test";
import { highlight, highlightStart } from "@pintle/highlight/highlighter";
import fc from "fast-check";
import { codeRows } from "../../src/code/code-rows.ts";
import { FenceHighlighter, tokenLines } from "../../src/code/fence-highlighter.ts";
import { createTheme } from "../../src/screen/theme.ts";
import { widthOf } from "../../src/text/width.ts";

const theme = createTheme({ TERM: "xterm-256color" });
const lineByLine = (code: string, language: string) => {
  const fence = new FenceHighlighter(highlightStart, language);
  return code.split("\n").map((line) => fence.next(line));
};

test("a short block has the same tokens line by line as all at once", () => {
  const code = `/* a comment\n   of two lines */\nconst text = \`one\ntwo \${name}\`;\nif (text) return 42;\n`;
  expect(lineByLine(code, "ts")).toEqual(tokenLines(highlight(code, "ts")));
});

test("a comment that is longer than the context stays a comment to its end", () => {
  const lines = ["/*", ...Array.from({ length: 200 }, (_, index) => `return ${index} from here`), "*/", "const x = 1;"];
  const shown = lineByLine(lines.join("\n"), "ts");
  expect(new Set(shown.slice(0, 202).map(([token]) => token?.[0]))).toEqual(new Set(["comment"]));
  expect(shown.at(-1)?.[0]).toEqual(["keyword", "const"]);
});

test("each line is highlighted with a bounded part of the code before it", () => {
  let longest = 0;
  const fence = new FenceHighlighter((code, language) => {
    longest = Math.max(longest, code.length);
    return highlightStart(code, language);
  }, "ts");
  for (let line = 0; line < 2_000; line += 1) fence.next(`const value${line} = ${line};`);
  expect(longest).toBeLessThan(2_000);
});

test("tokens of a line are the line, whatever the code", () => {
  const text = fc.stringMatching(/^[ a-z"'`/*{}#<>=;0-9]{0,40}$/);
  const languages = fc.constantFrom("ts", "python", "bash", "html", "diff", "unknown");
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), languages, (lines, language) => {
      const shown = lineByLine(lines.join("\n"), language).map((tokens) => tokens.map(([, part]) => part).join(""));
      expect(shown).toEqual(lines.length === 0 ? [""] : lines);
    }),
    { numRuns: 100, seed: 47 },
  );
});

test("wrapped code keeps its indentation, and further rows hang below it", () => {
  const line = tokenLines(highlight("    const sentence = one + two + three;", "ts"))[0]!;
  const rows = codeRows(line, 26, theme).map((row) => Bun.stripANSI(row));
  expect(rows).toEqual(["    const sentence = one", "      + two + three;"]);
  expect(rows.every((row) => widthOf(row) <= 26)).toBe(true);
});
