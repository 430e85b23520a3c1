import { expect, test } from "bun:test";
import fc from "fast-check";
import { createTextFinder } from "../../../src/tools/edit/find-text.ts";
import { foldText } from "../../../src/tools/edit/fold-text.ts";

const unit = fc.constantFrom(
  "a",
  "b",
  " ",
  "\t",
  "\n",
  "“",
  "’",
  "–",
  "e",
  "\u0301",
  "\u00a0",
  "ﬁ",
  "\u1112",
  "\u1161",
  "\u001b",
  "😀",
  "\r",
);
const text = fc.string({ unit, maxLength: 40 });

test("a place that is found among look-alikes has the wanted text, apart from them", () => {
  let found = 0;
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), (input, from, length) => {
      const start = from % (input.length + 1);
      const wanted = foldText(input.slice(start, start + 1 + (length % 12)));
      if (wanted === "") return;
      const result = createTextFinder(input, true).find(wanted);
      if ("count" in result) return;
      found += 1;
      expect(foldText(input.slice(result.start, result.end))).toBe(wanted);
    }),
    { numRuns: 3000 },
  );
  expect(found).toBeGreaterThan(500);
});

test("the whole of a text is found in its folded form, wherever that is not empty", () => {
  fc.assert(
    fc.property(text, (input) => {
      const wanted = `<${foldText(input)}>`;
      const result = createTextFinder(`x ${`<${input}>`} y`, true).find(wanted);
      // Spaces before the mark at the end count, and what vanishes between parts of a syllable would join them.
      const isExpected = foldText(`<${input}>`) === wanted && foldText(wanted) === wanted;
      if (isExpected) expect(result).toEqual({ start: 2, end: input.length + 4 });
    }),
    { numRuns: 2000 },
  );
});
