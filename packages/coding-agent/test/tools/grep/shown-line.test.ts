import { expect, test } from "bun:test";
import fc from "fast-check";
import { showLine, splitLines } from "../../../src/tools/grep/match-collector.ts";

const filler = fc
  .tuple(fc.constantFrom("a", "é", "€", "𝕏", " x"), fc.nat(1500))
  .map(([unit, count]) => unit.repeat(count));

test("a line is whole or the part with the match, and no character is cut in two", () => {
  fc.assert(
    fc.property(filler, filler, (before, after) => {
      const line = `${before}needle${after}.`;
      const { text, isCut } = showLine(Buffer.from(line), Buffer.byteLength(before));
      expect(isCut).toBe(line.length > 500);
      if (!isCut) expect(text).toBe(line);
      expect(text).toContain("needle");
      expect(text.length).toBeLessThanOrEqual(502);
      expect(text.isWellFormed()).toBe(true);
      expect(line).toContain(text.replace(/^…|…$/g, ""));
    }),
  );
});

test.each([0, 1])("a cut does not split a surrogate pair, even after %d other characters", (others) => {
  const { text } = showLine(Buffer.from(`${"x".repeat(others)}needle${"𝕏".repeat(400)}`), others);
  expect(text).toMatch(/^x?needle(?:𝕏)+…$/u);
});

test("a match at the end is shown with the text before it", () => {
  const { text } = showLine(Buffer.from(`${"a".repeat(1000)}end`), 1000);
  expect(text).toBe(`…${"a".repeat(497)}end`);
});

test.each([
  ["", [""]],
  ["a", ["a"]],
  ["a\n", ["a"]],
  ["\n\n", ["", ""]],
  ["a\n\nb", ["a", "", "b"]],
])("the lines of %j are %j", (text, lines) => {
  expect(splitLines(Buffer.from(text)).map(String)).toEqual(lines);
});
