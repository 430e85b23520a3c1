import { describe, expect, test } from "bun:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import { applyEdits, type Edit } from "../../../src/tools/ast-edit/plan.ts";
import { diffHeader, diffHunks } from "../../../src/tools/ast-edit/preview.ts";

function edit(start: number, end: number, text: string): Edit {
  return { start, end, text, line: 0, column: 0 };
}

const numbered = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
const at = (line: number) => numbered.indexOf(`line ${line}\n`);

describe("hunks", () => {
  test("three lines around a change", () => {
    expect(diffHunks(numbered, [edit(at(10), at(10) + 4, "LINE")])).toEqual([
      "@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+LINE 10\n line 11\n line 12\n line 13\n",
    ]);
  });

  test("nearby changes share a hunk, others do not, and line numbers include earlier changes", () => {
    const edits = [edit(at(1), at(1), "new\n"), edit(at(8), at(9), ""), edit(at(19), at(19) + 1, "L")];
    expect(diffHunks(numbered, edits).map((hunk) => hunk.split("\n")[0])).toEqual([
      "@@ -1,3 +1,4 @@",
      "@@ -5,7 +6,6 @@",
      "@@ -16,5 +16,5 @@",
    ]);
  });

  test("a missing line break at the end is reported", () => {
    expect(diffHunks("a\nb", [edit(2, 3, "c")])).toEqual([
      "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
    ]);
  });

  test("a file that becomes empty", () => {
    expect(diffHunks("a\n", [edit(0, 2, "")])).toEqual(["@@ -1,1 +0,0 @@\n-a\n"]);
  });
});

test("the names of files outside are not prefixed", () => {
  expect(diffHeader("src/a.ts")).toBe("--- a/src/a.ts\n+++ b/src/a.ts\n");
  expect(diffHeader("/x/a.ts")).toBe("--- /x/a.ts\n+++ /x/a.ts\n");
});

test("a patch tool applies every diff with the same result as the edits", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\n", "\r\n"), maxLength: 60 });
  const change = fc.tuple(fc.nat(8), fc.nat(6), fc.string({ unit: fc.constantFrom("a", "x", "\n"), maxLength: 6 }));
  fc.assert(
    fc.property(text, fc.array(change, { maxLength: 5 }), (source, changes) => {
      const edits: Edit[] = [];
      let position = 0;
      for (const [gap, length, inserted] of changes) {
        const start = position + gap;
        if (start + length > source.length || length === 0) continue;
        edits.push(edit(start, start + length, inserted));
        position = start + length;
      }
      const expected = applyEdits(source, edits);
      const hunks = diffHunks(source, edits);
      if (hunks.length === 0) return expect(expected).toBe(source);
      const patched = applyPatch(source, diffHeader("f") + hunks.join(""), { autoConvertLineEndings: false });
      return expect(patched).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});
