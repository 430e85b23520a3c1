import { expect, test } from "bun:test";
import { pathsIn, textsIn } from "../../src/rules/rule-matcher.ts";

test.each<[Record<string, unknown>, string[]]>([
  [{ path: "a.ts" }, ["a.ts", "/w/a.ts"]],
  [{ file_path: "src/a.ts" }, ["src/a.ts", "/w/src/a.ts", "a.ts"]],
  [{ filePath: "/w/src/a.ts" }, ["/w/src/a.ts", "src/a.ts", "a.ts"]],
  [{ paths: ["a", "b"] }, ["a", "/w/a", "b", "/w/b"]],
  [{ edits: [{ path: "a" }, { path: "b" }] }, ["a", "/w/a", "b", "/w/b"]],
  [{ path: "../x/a" }, ["../x/a", "/x/a", "a"]],
  [{ path: "./a" }, ["./a", "a", "/w/a"]],
  [{ path: 1, paths: [null, ""], text: "a", pathology: "b" }, []],
])("files named in %j", (args, expected) => {
  expect(pathsIn(args, "/w", true)).toEqual(expected);
});

test("a name that may still grow is not one", () => {
  expect(pathsIn({ path: "a.js" }, "/w", false)).toEqual([]);
  expect(pathsIn({ path: "a.js", text: "" }, "/w", false)).toEqual(["a.js", "/w/a.js"]);
});

test("strings, in order and at any depth", () => {
  expect(textsIn({ a: "1", b: [{ c: "2" }, "3", 4, null], d: { e: { f: "5" } } })).toEqual(["1", "2", "3", "5"]);
  let deep: unknown = "found";
  for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
  expect(textsIn({ deep })).toEqual(["found"]);
});
