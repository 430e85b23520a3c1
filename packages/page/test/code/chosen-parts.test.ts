import { describe, expect, test } from "bun:test";
import type { FileChange } from "@pintle/client/core";
import { ChosenParts, changeFacts, hunkPlace, isEditable } from "../../src/code/chosen-parts.ts";

const hunk = (hunkId: string, lines: string[], newStart = 10) => ({
  hunkId,
  oldStart: 10,
  oldLines: lines.filter((line) => !line.startsWith("+")).length,
  newStart,
  newLines: lines.filter((line) => !line.startsWith("-")).length,
  lines,
});
const FACTS: Omit<FileChange, "path"> = {
  status: "modified",
  type: "file",
  binary: false,
  added: 1,
  removed: 1,
  sources: [],
};
const TWO: FileChange = { path: "two.ts", ...FACTS, hunks: [hunk("h1", ["-a", "+b"]), hunk("h2", ["-c", "+d"])] };
const ONE: FileChange = { path: "one.ts", ...FACTS, hunks: [hunk("h3", ["-e", "+f"])] };
const IMAGE: FileChange = { path: "image.png", ...FACTS, binary: true, added: 0, removed: 0 };

const make = () => new ChosenParts([TWO, ONE, IMAGE]);

describe("the answer", () => {
  test("applies everything as a whole", () => {
    expect(make().answer).toBe("apply");
    expect(make().counts).toEqual({ chosen: 4, all: 4 });
  });

  test("names hunks of files that are applied in part, and files otherwise", () => {
    const parts = make();
    parts.set("h1", false);
    expect(parts.of(TWO)).toBe("some");
    expect(parts.of()).toBe("some");
    expect(parts.answer).toEqual({ action: "apply", files: ["one.ts", "image.png"], hunks: ["h2"] });
    parts.set("h2", false);
    expect(parts.answer).toEqual({ action: "apply", files: ["one.ts", "image.png"] });
  });

  test("does not exist if nothing is chosen", () => {
    const parts = make();
    parts.setAll(false);
    expect([parts.answer, parts.of(), parts.counts.chosen]).toEqual([undefined, "none", 0]);
    parts.setAll(true, IMAGE);
    expect(parts.answer).toEqual({ action: "apply", files: ["image.png"] });
  });

  test("replaces the text of an edited file, which then is one part", () => {
    const parts = make();
    parts.set("h1", false);
    parts.edit(TWO, "text\n");
    expect(parts.counts).toEqual({ chosen: 3, all: 3 });
    const edits = [{ path: "two.ts", content: "text\n" }];
    expect(parts.answer).toEqual({ action: "apply", files: ["one.ts", "image.png"], edits });
    parts.setAll(false, TWO);
    expect(parts.answer).toEqual({ action: "apply", files: ["one.ts", "image.png"] });
    parts.setAll(true, TWO);
    parts.setAll(false, ONE);
    parts.setAll(false, IMAGE);
    expect(parts.answer).toEqual({ action: "apply", edits });
    parts.edit(TWO, undefined);
    expect(parts.answer).toEqual({ action: "apply", files: ["two.ts"] });
  });
});

test("names where a hunk is in the new file", () => {
  expect(hunkPlace(hunk("h", [" x", " y", "-a", "+b"], 10))).toBe("line 12");
  expect(hunkPlace(hunk("h", ["-a", "+b", "+c", " x"], 1))).toBe("lines 1 to 2");
  expect(hunkPlace(hunk("h", [" x", "-a", "-b", " y"], 4))).toBe("line 5");
  expect(hunkPlace({ ...hunk("h", ["-a"], 0), newLines: 0 })).toBe("line 1");
});

test("says what counts of lines do not say, and which files have text to edit", () => {
  expect(changeFacts({ ...TWO, status: "renamed", oldPath: "a.ts", oldMode: 0o644, newMode: 0o755 })).toEqual([
    "renamed from a.ts",
    "mode 644 → 755",
  ]);
  expect(changeFacts({ ...IMAGE, status: "added", newMode: 0o644 })).toEqual(["new", "binary"]);
  expect(changeFacts({ ...ONE, truncated: true })).toEqual(["too much to show by hunk"]);
  expect(
    [TWO, IMAGE, { ...ONE, status: "deleted" as const }, { ...ONE, type: "symlink" as const }].map(isEditable),
  ).toEqual([true, false, false, false]);
});
