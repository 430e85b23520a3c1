import { expect, test } from "bun:test";
import { parseDiff } from "../../../src/code/parse-diff.ts";
import { splitByFile } from "../../../src/live/questions/diff-files.ts";

test("a diff is split at its file names, and parts without one are left out", () => {
  const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n--- a/y.ts\n+++ b/y.ts\n@@ -1 +1,2 @@\n c\n+d\n";
  const parts = splitByFile(parseDiff(diff));
  expect([...parts].map(([file, lines]) => [file, lines.map(({ kind }) => kind)])).toEqual([
    ["x.ts", ["removed", "added"]],
    ["y.ts", ["same", "added"]],
  ]);
  expect(splitByFile(parseDiff("@@ -1 +1 @@\n-a\n+b\n")).size).toBe(0);
});
