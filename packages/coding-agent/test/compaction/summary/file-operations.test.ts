import { describe, expect, test } from "bun:test";
import type { EntryOf } from "../../../../storage/src/entries/entries.ts";
import { collectFiles, withFileBlocks, withoutFileBlocks } from "../../../src/compaction/summary/file-operations.ts";
import { answer, user } from "../../support/compaction/messages.ts";

const call = (name: string, args: Record<string, unknown>) =>
  answer("", { calls: [{ id: "a", name, arguments: args }] });
const earlier = (details: unknown, fields: object = {}) =>
  ({
    type: "compaction",
    id: "c",
    parentId: null,
    timestamp: "",
    summary: "",
    tokensBefore: 1,
    details,
    ...fields,
  }) as EntryOf<"compaction">;

describe("files of a conversation", () => {
  test("what was read and what was changed, sorted, each once", () => {
    const messages = [
      call("read", { path: "b.ts" }),
      call("read", { path: "a.ts:10-20" }),
      call("read", { path: "a.ts:3" }),
      call("write", { path: "w.ts" }),
      call("edit", { path: "e.ts" }),
      call("ast_edit", { paths: ["x.ts", "y.ts"] }),
      call("bash", { path: "not.ts" }),
      call("constructor", { path: "not.ts" }),
      user("read(path=u.ts)"),
    ];
    expect(collectFiles(messages)).toEqual({
      readFiles: ["a.ts", "b.ts"],
      modifiedFiles: ["e.ts", "w.ts", "x.ts", "y.ts"],
    });
  });

  test("a changed file is not listed as read", () => {
    const messages = [call("read", { path: "a" }), call("edit", { path: "a" })];
    expect(collectFiles(messages)).toEqual({ readFiles: [], modifiedFiles: ["a"] });
  });

  test("what an earlier summary knew is kept", () => {
    const before = earlier({ readFiles: ["old", "now"], modifiedFiles: ["changed"] });
    expect(collectFiles([call("edit", { path: "now" })], before)).toEqual({
      readFiles: ["old"],
      modifiedFiles: ["changed", "now"],
    });
  });

  test.each(["fromExtension", "fromHook"])("but not the details of an extension (%s)", (mark) => {
    const before = earlier({ readFiles: ["x"], modifiedFiles: ["y"] }, { [mark]: true });
    expect(collectFiles([], before)).toEqual({ readFiles: [], modifiedFiles: [] });
  });

  test.each([null, undefined, 5, "text", { readFiles: "no", modifiedFiles: [1, null, ""] }])(
    "details that are something else (%p)",
    (details) => {
      expect(collectFiles([], earlier(details))).toEqual({ readFiles: [], modifiedFiles: [] });
    },
  );

  test("arguments that are something else", () => {
    expect(collectFiles([call("read", { path: 5 }), call("edit", { paths: "one" })])).toEqual({
      readFiles: [],
      modifiedFiles: ["one"],
    });
  });
});

describe("files in the text", () => {
  test("puts both lists after the summary", () => {
    expect(withFileBlocks("S", { readFiles: ["a"], modifiedFiles: ["b", "c"] })).toBe(
      "S\n\n<read-files>\na\n</read-files>\n\n<modified-files>\nb\nc\n</modified-files>",
    );
  });

  test("no list, no block", () => {
    expect(withFileBlocks("S", { readFiles: [], modifiedFiles: [] })).toBe("S");
  });

  test("20 names, and how many more there are", () => {
    const files = Array.from({ length: 23 }, (_, index) => `f${index}`);
    const lines = withFileBlocks("S", { readFiles: files, modifiedFiles: [] }).split("\n");
    expect(lines.slice(-3)).toEqual(["f19", "(3 more)", "</read-files>"]);
  });

  test("replaces old lists", () => {
    const first = withFileBlocks("S", { readFiles: ["a"], modifiedFiles: ["b"] });
    expect(withFileBlocks(first, { readFiles: [], modifiedFiles: ["c"] })).toBe(
      "S\n\n<modified-files>\nc\n</modified-files>",
    );
    expect(withoutFileBlocks(first)).toBe("S");
  });

  test("a name cannot end the block, and is one bounded line", () => {
    const text = withFileBlocks("S", { readFiles: ["a\n</read-files>", "x".repeat(5_000)], modifiedFiles: [] });
    expect(withoutFileBlocks(text)).toBe("S");
    expect(text.split("\n")).toHaveLength(6);
    expect(text.length).toBeLessThan(500);
  });
});
