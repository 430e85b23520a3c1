import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { diffTexts, pairLines } from "../../src/code/diff-model.ts";
import { parseDiff } from "../../src/code/parse-diff.ts";

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

  test("shows anything else unchanged", () => {
    expect(parseDiff("nothing of it")).toEqual([{ kind: "gap", text: "nothing of it" }]);
  });
});

describe("comparing two strings", () => {
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

  test("finds the few changes in a long string", () => {
    const before = Array.from({ length: 700 }, (_, index) => `line ${index}`);
    const after = before.map((line, index) => (index % 80 === 20 ? `${line} changed` : line));
    const kinds = diffTexts(before.join("\n"), after.join("\n")).map(({ kind }) => kind);
    expect(["same", "removed", "added"].map((kind) => kinds.filter((found) => found === kind).length)).toEqual([
      691, 9, 9,
    ]);
    expect(diffTexts("a\nb\nc", "a\nc\nd").map(({ kind }) => kind)).toEqual(["same", "removed", "same", "added"]);
  });

  test("shows strings with too many changes as removed and added", () => {
    const many = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index % 7}`).join("\n");
    const kinds = diffTexts(many("x"), many("y")).map(({ kind }) => kind);
    expect([kinds.length, new Set(kinds.slice(0, 20_000)), new Set(kinds.slice(20_000))]).toEqual([
      40_000,
      new Set(["removed"]),
      new Set(["added"]),
    ]);
  });
});

test("old and new lines of one change are side by side", () => {
  const pairs = pairLines(parseDiff("-1 a\n-2 b\n+1 c\n 2 d"));
  expect(pairs.map(({ kind, before, after }) => [kind, before?.text, after?.text])).toEqual([
    ["change", "a", "c"],
    ["change", "b", undefined],
    ["same", "d", "d"],
  ]);
});
