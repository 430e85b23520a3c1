import { expect, test } from "bun:test";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { compareFiles, patchText } from "../../src/file-changes/index.ts";

const line = fc.constantFrom("", "}", "a", "b", "c", "  return x;", "é");
const text = (ending: string) =>
  fc
    .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("", "end"))
    .map(([lines, end]) => lines.map((each) => each + ending).join("") + end);

test(
  "the hunks of a change make the new text out of the old one, with its line endings",
  () => {
    const pair = fc.constantFrom("\n", "\r\n").chain((ending) => fc.tuple(text(ending), text(ending)));
    const property = fc.property(pair, ([before, after]) => {
      const [change] = compareFiles([{ path: "a", before, after }], "t").changes;
      const isCrlf = (before + after).includes("\r");
      // An empty text does not show which line ending it uses.
      fc.pre(!isCrlf || before.includes("\r"));
      expect(patchText(before, change?.hunks ?? [])).toBe(after);
    });
    fc.assert(property, propertyRuns({ numRuns: 300, seed: 52 }));
  },
  PROPERTY_TIMEOUT_MS,
);

test("hunks that do not fit the text exactly give nothing", () => {
  const { changes } = compareFiles([{ path: "a", before: "1\n2\n3\n", after: "1\nx\n3\n" }], "t");
  const hunks = changes[0]!.hunks!;
  expect(patchText("1\n2\n3\n", hunks)).toBe("1\nx\n3\n");
  for (const other of ["", "0\n2\n3\n", "1\n2\n", "new\n1\n2\n3\n"]) expect(patchText(other, hunks)).toBe(undefined);
});

test("a selection of compared files returns only what changes", () => {
  const { changes, select } = compareFiles(
    [
      { path: "a", before: "1\n2\n3\n4\n5\n", after: "x\n2\n3\n4\ny\n" },
      { path: "new", after: "n\n" },
      { path: "gone", before: "g\n" },
      { path: "same", before: "s\n", after: "s\n" },
    ],
    "t",
  );
  expect(changes.map(({ path, status }) => [path, status])).toEqual([
    ["a", "modified"],
    ["new", "added"],
    ["gone", "deleted"],
  ]);
  const [, last] = changes[0]!.hunks!.map(({ hunkId }) => hunkId);
  expect(select({ files: ["gone"], hunks: [last!], edits: [{ path: "new", content: "mine" }] })).toEqual([
    { path: "a", content: "1\n2\n3\n4\ny\n" },
    { path: "new", content: "mine" },
    { path: "gone", content: undefined },
  ]);
  expect(select({ files: [], hunks: [], edits: [] })).toEqual([]);
});
