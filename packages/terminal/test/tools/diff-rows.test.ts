import { describe, expect, test } from "bun:test";
import { createTheme } from "../../src/screen/theme.ts";
import { widthOf } from "../../src/text/width.ts";
import { changedParts, DiffRows } from "../../src/tools/diff-rows.ts";

const theme = createTheme({ TERM: "xterm-256color", COLORFGBG: "15;0" });
const DIFF = [
  " 6 one",
  " 7 two",
  " 8 three",
  "-9 const greeting = hello;",
  "+9 const greeting = goodbye;",
  "+10 extra",
  " 11 four",
  " 12 five",
  " 13 six",
  " ...",
].join("\n");
const plain = (rows: readonly string[]) => rows.map((row) => Bun.stripANSI(row).trimEnd());

describe("a diff", () => {
  test("has a gutter of aligned numbers, and a short form with little context", () => {
    const diff = new DiffRows(DIFF, theme);
    expect(plain(diff.short(60, 20).rows)).toEqual([
      " 7   two",
      " 8   three",
      " 9 - const greeting = hello;",
      " 9 + const greeting = goodbye;",
      "10 + extra",
      "11   four",
      "12   five",
    ]);
    expect(plain(diff.all(60))).toContain(" 6   one");
    expect(diff.counts).toEqual({ added: 2, removed: 1 });
    expect(diff.short(60, 3).hidden).toBe(4);
  });

  test("fills rows with a background before their text, so that no full row loses its last character", () => {
    const rows = new DiffRows("-1 old\n+1 new", theme).all(60);
    for (const row of rows) {
      expect(row.indexOf("\u001b[K")).toBeGreaterThan(0);
      expect(row.indexOf("\u001b[K")).toBeLessThan(row.search(/old|new/));
    }
  });

  test("is wrapped in a narrow window, without the numbers where there is no room", () => {
    const rows = new DiffRows(DIFF, theme).all(20);
    expect(rows.every((row) => widthOf(row) <= 20)).toBe(true);
    expect(plain(rows)).toContain("- const greeting =");
  });

  test("of a patch with hunks is read as well", () => {
    const patch = "--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n";
    expect(plain(new DiffRows(patch, theme).all(40))).toEqual(["x.ts", "1   same", "2 - old", "2 + new"]);
  });
});

test("changed words are those between the common beginning and the common end", () => {
  const changed = (before: string, after: string) => {
    const parts = changedParts(before, after);
    const marked = (list: { text: string; isChanged: boolean }[] = []) =>
      list.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join("");
    return parts && [marked(parts.before), marked(parts.after)];
  };
  expect(changed("const a = hello;", "const a = goodbye;")).toEqual(["const a = [hello];", "const a = [goodbye];"]);
  expect(changed("f(one)", "f(one, two)")).toEqual(["f(one)", "f(one[, two])"]);
  expect(changed("nothing here", "something else entirely")).toBeUndefined();
});
