import { expect, test } from "bun:test";
import { diffsOfArguments, numberedDiffBlocks, unifiedDiffBlocks } from "../../src/updates/diffs.ts";

test("each part of a numbered diff becomes a block", () => {
  const diff = [" 1 a", "-2 b", "+2 B", " ...", " 9 x", "+10 - y", "\\ No newline at end of file"].join("\n");
  expect(numberedDiffBlocks("/f", diff)).toEqual([
    { type: "diff", path: "/f", oldText: "a\nb", newText: "a\nB" },
    { type: "diff", path: "/f", oldText: "x", newText: "x\n- y" },
  ]);
});

test("reads a unified diff by the lengths of its hunks", () => {
  const diff = [
    "--- a/one.sql",
    "+++ b/one.sql",
    "@@ -1,2 +1,2 @@",
    "--- a comment",
    "+-- another",
    " same",
    "@@ -9 +9 @@",
    "-x",
    "+y",
    "\\ No newline at end of file",
    "--- /abs/two",
    "+++ /abs/two",
    "@@ -1,1 +1,2 @@",
    " k",
    "+l",
    "[The diff is cut at 1 MB.]",
  ].join("\n");
  expect(unifiedDiffBlocks(diff, "/project")).toEqual([
    { type: "diff", path: "/project/one.sql", oldText: "-- a comment\nsame", newText: "-- another\nsame" },
    { type: "diff", path: "/project/one.sql", oldText: "x", newText: "y" },
    { type: "diff", path: "/abs/two", oldText: "k", newText: "k\nl" },
  ]);
});

test("derives the change of a call from its arguments, as far as they are valid", () => {
  const edits = [{ oldText: "a", newText: "b" }, { oldText: 7 }, null];
  expect(diffsOfArguments("edit", { path: "x", edits }, "/project")).toEqual([
    { type: "diff", path: "/project/x", oldText: "a", newText: "b" },
  ]);
  expect(diffsOfArguments("write", { path: "/x", content: "c" }, "/project")).toEqual([
    { type: "diff", path: "/x", newText: "c" },
  ]);
  for (const args of [{}, { path: 7, content: "x" }, { path: "x" }, { path: "x", edits: "all" }]) {
    expect(diffsOfArguments("edit", args, "/project")).toEqual([]);
  }
});
