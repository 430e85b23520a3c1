import { describe, expect, test } from "bun:test";
import type { FileChange } from "@pintle/wire";
import { describeChange, type FileState, limitHunks, mergeChange, withHunks } from "../../src/file-changes/index.ts";

const file = (content: string | Uint8Array, mode = 0o644): FileState => ({
  type: "file",
  mode,
  bytes: Buffer.from(content),
});
const link = (target: string): FileState => ({ type: "symlink", mode: 0o777, bytes: Buffer.from(target) });

function change(before: FileState | undefined, after: FileState | undefined): FileChange | undefined {
  return describeChange({ path: "a.txt", before, after, sources: ["edit"] });
}

describe("describing a change", () => {
  test("shows one run of changed lines per hunk, with up to three lines around it", () => {
    const before = ["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((line) => `${line}\n`);
    const after = before.with(4, "five\n").with(6, "seven\n");
    const described = change(file(before.join("")), file(after.join("")));
    expect(described).toEqual({
      path: "a.txt",
      status: "modified",
      type: "file",
      binary: false,
      added: 2,
      removed: 2,
      sources: ["edit"],
      hunks: [
        {
          hunkId: expect.stringMatching(/^h_[0-9a-f]{24}$/),
          oldStart: 2,
          oldLines: 5,
          newStart: 2,
          newLines: 5,
          lines: [" 2", " 3", " 4", "-5", "+five", " 6"],
        },
        {
          hunkId: expect.stringMatching(/^h_[0-9a-f]{24}$/),
          oldStart: 7,
          oldLines: 3,
          newStart: 7,
          newLines: 3,
          lines: ["-7", "+seven", " 8", " 9"],
        },
      ],
    });
  });

  test("describes new, deleted and renamed files", () => {
    const added = change(undefined, file("a\nb\n", 0o755));
    expect(added).toMatchObject({ status: "added", added: 2, removed: 0, newMode: 0o755 });
    expect(added?.hunks).toMatchObject([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+a", "+b"] }]);
    expect(change(file("a\n"), undefined)).toMatchObject({ status: "deleted", added: 0, removed: 1 });
    expect(change(undefined, file(""))).toMatchObject({ status: "added", added: 0, removed: 0 });
    const renamed = describeChange({
      path: "b",
      oldPath: "a",
      before: file("x\n"),
      after: file("x\n"),
      sources: ["bash"],
    });
    expect(renamed).toMatchObject({ path: "b", oldPath: "a", status: "renamed", added: 0, removed: 0 });
    expect(change(file("a"), file("a"))).toBeUndefined();
    expect(change(undefined, undefined)).toBeUndefined();
  });

  test("marks a missing final newline, and shows carriage returns only where line endings differ", () => {
    expect(change(file("a\n"), file("a"))?.hunks?.[0]?.lines).toEqual(["-a", "+a", "\\ No newline at end of file"]);
    expect(change(file("a\r\nb\r\n"), file("a\r\nc\r\n"))?.hunks?.[0]?.lines).toEqual([" a", "-b", "+c"]);
    expect(change(file("a\r\n"), file("a\n"))?.hunks?.[0]?.lines).toEqual(["-a\r", "+a"]);
  });

  test("keeps a byte order mark", () => {
    const pair = { path: "a.txt", before: file("\uFEFFa\nb\n"), after: file("\uFEFFa\nc\n") };
    const ids = change(pair.before, pair.after)?.hunks?.map(({ hunkId }) => hunkId);
    expect(withHunks(pair, new Set(ids))).toEqual(pair.after);
    expect(change(pair.before, file("a\nb\n"))).toMatchObject({ added: 1, removed: 1 });
  });

  test("treats NUL characters and bytes that are not UTF-8 as binary, and offers no hunks", () => {
    for (const bytes of [Buffer.from([0x61, 0xff]), Buffer.from("a\0b"), Buffer.from([0xed, 0xa0, 0x80])]) {
      const described = change(file("a\n"), file(bytes));
      expect(described).toMatchObject({ binary: true, added: 0, removed: 0 });
      expect(described?.hunks).toBeUndefined();
    }
  });

  test("reports modes and links, and changes a mode only with the whole file", () => {
    expect(change(file("a\n"), file("a\n", 0o755))).toMatchObject({ oldMode: 0o644, newMode: 0o755, added: 0 });
    expect(change(link("x"), link("y"))).toMatchObject({ type: "symlink", status: "modified", binary: false });
    expect(change(file("x"), link("x"))).toMatchObject({ type: "symlink", status: "modified" });
    const pair = { path: "a.txt", before: file("a\nb\nc\nd\ne\n"), after: file("A\nb\nc\nd\nE\n", 0o755) };
    const [first, second] = change(pair.before, pair.after)!.hunks!.map(({ hunkId }) => hunkId);
    expect(withHunks(pair, new Set([first!]))).toEqual(file("A\nb\nc\nd\ne\n"));
    expect(withHunks(pair, new Set([first!, second!]))).toEqual(pair.after);
    expect(withHunks(pair, new Set(["h_unknown"]))).toEqual(pair.before);
  });

  test("gives identical changes at different places different ids", () => {
    const [before, after] = ["x\nx\nx\nx\nx\nx\n", "x\ny\nx\nx\ny\nx\n"];
    const ids = change(file(before), file(after))!.hunks!.map(({ hunkId }) => hunkId);
    expect(new Set(ids).size).toBe(2);
  });

  test("leaves out the hunks of huge files and of huge changes", () => {
    const huge = "x\n".repeat(1_100_000);
    expect(change(file(huge), file(`${huge}y\n`))).toMatchObject({ truncated: true, added: 1, removed: 0 });
    expect(change(file(`ab\n${huge}`), file(`cb\n${huge}`))).toMatchObject({ truncated: true, added: 1, removed: 1 });
    expect(change(file(`${huge}ab\n`), file(`${huge}ac`))).toMatchObject({ truncated: true, added: 1, removed: 1 });
    const many = Array.from({ length: 20_001 }, (_, index) => `${index}\n`).join("");
    const described = change(file("a\n"), file(many));
    expect(described).toMatchObject({ truncated: true, added: 20_001, removed: 1 });
    expect(described?.hunks).toBeUndefined();
  });

  test("compares large files with many repeated lines in bounded time", () => {
    const lines = (seed: number) =>
      Array.from({ length: 60_000 }, (_, index) => `${(index * seed * 7919) % 13}\n`).join("");
    expect(change(file(lines(1)), file(lines(5)))?.status).toBe("modified");
  });

  test("leaves hunks out of a list that is too long, but not those of later small files", () => {
    const list = ["a\n".repeat(10), "b\n".repeat(500), "c\n"].map((text) => change(undefined, file(text))!);
    const limited = limitHunks(list, 100);
    expect(limited.map(({ truncated, hunks }) => [truncated, hunks !== undefined])).toEqual([
      [undefined, true],
      [true, false],
      [undefined, true],
    ]);
  });
});

describe("merging a change into a file that others changed", () => {
  const before = file("a\nb\nc\n");

  test("merges changes of different lines, also of neighbouring ones", () => {
    expect(mergeChange(before, file("A\nb\nc\n"), file("a\nB\nc\n"))?.state).toEqual(file("A\nB\nc\n"));
    expect(mergeChange(before, file("a\nc\n"), file("a\nb\nc\nd\n"))?.state).toEqual(file("a\nc\nd\n"));
    expect(mergeChange(before, file("a\nb\nc\n", 0o755), file("A\nb\nc\n"))?.state).toEqual(file("A\nb\nc\n", 0o755));
  });

  test("takes an equal change once", () => {
    expect(mergeChange(before, file("A\nb\nc\n"), file("A\nb\nC\n"))?.state).toEqual(file("A\nb\nC\n"));
  });

  test("refuses overlapping changes, two insertions at one place, and what has no lines", () => {
    expect(mergeChange(before, file("A\nb\nc\n"), file("x\nb\nc\n"))).toBeUndefined();
    expect(mergeChange(before, file("a\n1\nb\nc\n"), file("a\n2\nb\nc\n"))).toBeUndefined();
    expect(mergeChange(before, file("A\nb\nc\n"), file("a\0"))).toBeUndefined();
    expect(mergeChange(before, undefined, file("a\nb\n"))).toBeUndefined();
    expect(mergeChange(before, file("A\nb\nc\n"), undefined)).toBeUndefined();
    expect(mergeChange(undefined, file("x"), file("y"))).toBeUndefined();
    expect(mergeChange(before, file("a\nb\nc\n", 0o755), file("a\nb\nc\n", 0o600))).toBeUndefined();
    expect(mergeChange(link("a"), link("b"), link("c"))).toBeUndefined();
    expect(mergeChange(before, file("A\nb\nc\n"), link("a"))).toBeUndefined();
  });

  test("passes on a side that alone has changed", () => {
    expect(mergeChange(before, undefined, before)).toEqual({ state: undefined });
    expect(mergeChange(undefined, before, undefined)).toEqual({ state: before });
    expect(mergeChange(before, before, undefined)).toEqual({ state: undefined });
  });
});
