import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { diffTexts, pairLines, parseDiff } from "../../src/code/diff-model.ts";

describe("reading a diff", () => {
  test("with the number of every line", () => {
    expect(parseDiff(" 1 a\n-2 b\n+2 c\n+3 d\n 4 e\n ...\n 9 f")).toEqual([
      { kind: "same", oldNumber: 1, newNumber: 1, text: "a" },
      { kind: "removed", oldNumber: 2, text: "b" },
      { kind: "added", newNumber: 2, text: "c" },
      { kind: "added", newNumber: 3, text: "d" },
      { kind: "same", oldNumber: 3, newNumber: 4, text: "e" },
      { kind: "gap", text: "" },
      { kind: "same", oldNumber: 8, newNumber: 9, text: "f" },
    ]);
  });

  test("with parts and files", () => {
    const text =
      "--- a/x.ts\n+++ b/x.ts\n@@ -3,2 +3,2 @@\n same\n-- old\n+- new\n@@ -9 +9 @@\n-x\n\\ No newline at end of file\n";
    expect(parseDiff(text)).toEqual([
      { kind: "file", text: "x.ts" },
      { kind: "same", oldNumber: 3, newNumber: 3, text: "same" },
      { kind: "removed", oldNumber: 4, text: "- old" },
      { kind: "added", newNumber: 4, text: "- new" },
      { kind: "gap", text: "" },
      { kind: "removed", oldNumber: 9, text: "x" },
      { kind: "gap", text: "\\ No newline at end of file" },
    ]);
  });

  test("anything else is shown as it is", () => {
    expect(parseDiff("nothing of it")).toEqual([{ kind: "gap", text: "nothing of it" }]);
  });
});

describe("comparing two texts", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
  test("both can be read out of the result", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffTexts(before.join("\n"), after.join("\n"));
        const side = (kinds: string[]) =>
          diff
            .filter(({ kind }) => kinds.includes(kind))
            .map(({ text }) => text)
            .join("\n");
        expect(side(["same", "removed"])).toBe(before.join("\n"));
        expect(side(["same", "added"])).toBe(after.join("\n"));
      }),
    );
  });

  test("finds what is common, and gives up where that would take too long", () => {
    expect(diffTexts("a\nb\nc", "a\nc\nd").map(({ kind }) => kind)).toEqual(["same", "removed", "same", "added"]);
    const many = (word: string) => Array.from({ length: 2000 }, (_, index) => `${word}${index}`).join("\n");
    expect(diffTexts(many("x"), many("y"))).toHaveLength(4000);
  });
});

test("old and new lines of one change stand side by side", () => {
  const pairs = pairLines(parseDiff("-1 a\n-2 b\n+1 c\n 2 d"));
  expect(pairs.map(({ kind, before, after }) => [kind, before?.text, after?.text])).toEqual([
    ["change", "a", "c"],
    ["change", "b", undefined],
    ["same", "d", "d"],
  ]);
});
