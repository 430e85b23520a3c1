import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import type { AstGrepArguments } from "../../../src/tools/ast-grep/execute.ts";
import { astGrepTool } from "../../../src/tools/ast-grep.ts";
import { AstWorkspace } from "../../support/tools/ast/ast-workspace.ts";

let open: AstWorkspace[] = [];

function workspace(...args: ConstructorParameters<typeof AstWorkspace>): AstWorkspace {
  const created = new AstWorkspace(...args);
  open.push(created);
  return created;
}

afterEach(async () => {
  delete process.env.PINTLE_MAX_AST_FILES;
  await Promise.all(open.map((each) => each[Symbol.asyncDispose]()));
  open = [];
});

/** Each match as `file:line`, with its captures. */
function found(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith(">>") || line.startsWith("## ") || line.includes("captures:"));
}

describe("languages", () => {
  const cases: [file: string, source: string, args: Omit<AstGrepArguments, "path">, capture: string][] = [
    ["a.ts", "const n: number = load(x)!;\n", { pat: ["load($A)"] }, "$A = x"],
    ["a.tsx", "const e = <b title={t}>hi</b>;\n", { pat: ["<b title={$T}>$$$C</b>"] }, "$T = t, $$$C = hi"],
    ["a.js", "load(x, ...y)\n", { pat: ["load($$$A)"] }, "$$$A = x, ...y"],
    ["a.py", "def f():\n    return load(x, y=1)\n", { pat: ["load($A, $$$B)"] }, "$A = x, $$$B = y=1"],
    [
      "a.go",
      "package a\n\nfunc f() { fmt.Println(x) }\n",
      { pat: ["func t() { fmt.Println($A) }"], sel: "call_expression" },
      "$A = x",
    ],
    ["a.rs", "fn main() { load(x); }\n", { pat: ["load($A)"] }, "$A = x"],
    ["a.java", "class A { void f() { load(x); } }\n", { pat: ["load($A)"] }, "$A = x"],
    ["a.c", "int f(void) { return load(x); }\n", { pat: ["load($A);"], sel: "call_expression" }, "$A = x"],
    ["a.yaml", "name: x\nport: 1\n", { pat: ["port: $P"] }, "$P = 1"],
    ["a.html", "<div><b>x</b></div>\n", { pat: ["<b>$X</b>"] }, "$X = x"],
    ["a.css", "a { color: red; }\n", { pat: ["a { color: $C; }"], sel: "declaration" }, "$C = red"],
  ];

  test.each(cases)("%s", async (file, source, args, capture) => {
    const { text, details } = await workspace({ [file]: source }).grep(args);
    expect(details.fileMatches).toEqual([{ path: file, count: 1 }]);
    expect(text).toContain(`   captures: ${capture}`);
  });

  test("json has no variables in its grammar, but its nodes can be found", async () => {
    const { text } = await workspace({ "a.json": '{\n  "a": [1]\n}\n' }).grep({ pat: ['"a"'] });
    expect(found(text)).toEqual(["## a.json (1 match)", '>> 2:   "a": [1]']);
  });

  test("one call searches files of many languages", async () => {
    const files = Object.fromEntries(cases.map(([file, source]) => [file, source]));
    const { details } = await workspace(files).grep({ pat: ["load($A)", "load($A);"] });
    expect(details.files).toEqual(["a.java", "a.rs", "a.ts"]);
    expect(details.filesSearched).toBe(cases.length);
  });

  test("lang decides for a file of unknown type and for related languages in a directory, not for others", async () => {
    const files = { tool: "load(1)\n", "a.js": "load(2)\n", "notes.md": "load(3)\n", "a.py": "load(4)\n" };
    const { grep } = bind(workspace(files));
    expect((await grep({ pat: ["load($A)"], path: "tool", lang: "py" })).details.matchCount).toBe(1);
    expect((await grep({ pat: ["load($A)"], lang: "ts" })).details.files).toEqual(["a.js"]);
    expect((await grep({ pat: ["load($A)"], lang: "ts", glob: "*" })).details.files).toEqual([
      "a.js",
      "a.py",
      "notes.md",
      "tool",
    ]);
  });

  test("an unknown language is an error, an absent parser names its package", async () => {
    const { grep } = bind(workspace({ "a.rb": "load(1)\n" }));
    await expect(grep({ pat: ["a"], lang: "klingon" })).rejects.toThrow(
      /^Unsupported language: klingon\. Supported: bash, c, css/,
    );
    const { text, details } = await grep({ pat: ["load($A)"] });
    expect(text).toStartWith("No matches found, but because of the parse issues below");
    expect(details.parseErrors).toEqual(["a.rb: This build lacks the package @ast-grep/lang-ruby for ruby"]);
    const mixed = await workspace({ "a.rb": "load(1)\n", "b.ts": "load(2)\n" }).grep({ pat: ["load($A)"] });
    expect(mixed.details.parseErrors).toBeUndefined();
  });

  test("a named file of unknown language asks for lang", async () => {
    const { details } = await workspace({ "a.unknown": "load(1)" }).grep({ pat: ["load($A)"], path: "a.unknown" });
    expect(details.parseErrors).toEqual(["a.unknown: its name does not reveal the language; set lang"]);
  });
});

function bind(at: AstWorkspace) {
  return { grep: (args: AstGrepArguments, signal?: AbortSignal) => at.grep(args, signal) };
}

describe("patterns", () => {
  const SOURCE = "f(a, a);\nf(a, b);\nwrap(wrap(x));\ng();\n";

  test.each<[string, string[]]>([
    ["f($A, $A)", [">> 1: f(a, a);", "   captures: $A = a"]],
    ["f($_, b)", [">> 2: f(a, b);"]],
    ["f($_, $_)", [">> 1: f(a, a);", ">> 2: f(a, b);"]],
    ["g($$$A)", [">> 4: g();", "   captures: $$$A ="]],
    ["g($A)", []],
    ["wrap($A)", [">> 3: wrap(wrap(x));", "   captures: $A = wrap(x)", ">> 3: wrap(wrap(x));", "   captures: $A = x"]],
  ])("%s", async (pattern, expected) => {
    const { text } = await workspace({ "a.ts": SOURCE }).grep({ pat: [pattern] });
    expect(found(text).slice(1)).toEqual(expected);
  });

  test("several are one search: blanks and repetitions are dropped, and a node is listed once", async () => {
    const { details } = await workspace({ "a.ts": SOURCE }).grep({ pat: ["g()", " ", " g() ", "g($$$A)", "f(a, b)"] });
    expect(details.matchCount).toBe(2);
  });

  test.each<[AstGrepArguments, string]>([
    [{ pat: [] }, "pat is empty"],
    [{ pat: ["  "] }, "pat is empty"],
    [{ pat: ["f($$A)"] }, "pat: $$A is not a variable; use $A for one node or $$$A for several"],
    [{ pat: ["x".repeat(5000)] }, "pat is longer than 4000 characters"],
    [{ pat: ["a"], limit: 0.5 }, "limit must be a number of at least 1"],
    [{ pat: ["a"], offset: -1 }, "offset must be a number of at least 0"],
    [{ pat: ["a"], context: Number.NaN }, "context must be a number of at least 0"],
    [{ pat: ["a"], path: "src/nothing.ts" }, "Path not found: src/nothing.ts"],
    [{ pat: ["a"], path: "a.ts/below" }, "Path not found: a.ts/below"],
    [{ pat: ["a"], path: "a.ts, no/*.ts" }, "Path not found: no/*.ts"],
    [{ pat: ["a"], path: " , " }, "The path is empty."],
  ])("%j is refused", async (args, message) => {
    await expect(workspace({ "a.ts": SOURCE }).grep(args)).rejects.toThrow(message);
  });

  test.each([
    ["a; b", "Multiple AST nodes are detected. Wrap it in valid context and set sel."],
    ["foo(", "does not parse on its own. Complete it, or put it into valid context and set sel."],
  ])("%s is an error when it works in no language", async (pattern, reason) => {
    const search = workspace({ "a.ts": SOURCE, "b.py": "a\n" }).grep({ pat: [pattern] });
    await expect(search).rejects.toThrow(
      `Nothing was searched, because the pattern is invalid. \`${pattern}\`: ${reason}`,
    );
  });

  test("a pattern that works in no language is a parse issue next to one that does", async () => {
    const { text, details } = await workspace({ "a.ts": "a;\n" }).grep({ pat: ["a", "foo("] });
    expect(details).toMatchObject({ matchCount: 1, parseErrorsTotal: 1 });
    expect(text).toContain("Parse issues:\n- foo(: does not parse on its own");
  });

  test("a node kind that does not exist is an error", async () => {
    const search = workspace({ "a.ts": SOURCE }).grep({ pat: ["f($A)"], sel: "nonsense" });
    await expect(search).rejects.toThrow("`f($A)`: Kind `nonsense` is invalid.");
  });

  test("one that works in some language of a mixed tree is none, also when it finds nothing", async () => {
    const grep = (files: Record<string, string>) => workspace(files).grep({ pat: ["function f() { $$$B }"] });
    await expect(grep({ "a.py": "a = 1\n" })).rejects.toThrow("Multiple AST nodes are detected.");
    expect((await grep({ "a.py": "a = 1\n", "b.ts": SOURCE })).text).toBe("No matches found.");
  });

  test("incomplete code that finds something is not an error", async () => {
    const { details } = await workspace({ "a.ts": "@Foo(1) class A {}\n" }).grep({ pat: ["@Foo($A)"] });
    expect(details).toMatchObject({ matchCount: 1 });
    expect(details.parseErrors).toBeUndefined();
  });

  test("of matches that begin at the same place the outer one is first", async () => {
    const { text } = await workspace({ "a.ts": "f()();\n" }).grep({ pat: ["f()", "$F()"] });
    expect(found(text).slice(1)).toEqual([">> 1: f()();", "   captures: $F = f()", ">> 1: f()();"]);
  });
});

describe("files", () => {
  const CALL = "load(1)\n";

  test("ignored ones and dependencies are left out, hidden ones are not; links are not followed", async () => {
    const at = workspace({
      "src/a.js": CALL,
      ".hidden/b.js": CALL,
      ".gitignore": "out/\n",
      "out/c.js": CALL,
      "node_modules/m/d.js": CALL,
      "packages/x/node_modules/m/e.js": CALL,
      ".git/f.js": CALL,
    });
    symlinkSync(at.path("src/a.js"), at.path("link.js"));
    mkdirSync(at.path("linked"));
    symlinkSync(at.path("src"), at.path("linked/src"));
    const files = async (path?: string, glob?: string) =>
      (await at.grep({ pat: ["load($A)"], ...(path && { path }), ...(glob && { glob }) })).details.files;
    expect(await files()).toEqual([".hidden/b.js", "src/a.js"]);
    expect(await files("node_modules")).toEqual(["node_modules/m/d.js"]);
    expect(await files(".", "**/node_modules/**/*.js")).toEqual([
      "node_modules/m/d.js",
      "packages/x/node_modules/m/e.js",
    ]);
    expect(await files("out/c.js")).toEqual(["out/c.js"]);
    expect(await files("link.js")).toEqual(["src/a.js"]);
    expect(await files("src, src/a.js, linked/src, ./src/")).toEqual(["src/a.js"]);
  });

  test("paths may be globs, and a further glob narrows them", async () => {
    const at = workspace({ "src/a.js": CALL, "src/a.test.js": CALL, "src/deep/b.js": CALL, "lib/[x]/c.js": CALL });
    const files = async (path: string, glob?: string) =>
      (await at.grep({ pat: ["load($A)"], path, ...(glob && { glob }) })).details.files;
    expect(await files("src/*.js")).toEqual(["src/a.js", "src/a.test.js"]);
    expect(await files("src/**/*.js", "*.test.js")).toEqual(["src/a.test.js"]);
    expect(await files("src/**/b.js, lib/[x]")).toEqual(["lib/[x]/c.js", "src/deep/b.js"]);
    at.write({ "x,y.js": CALL });
    expect(await files("x,y.js")).toEqual(["x,y.js"]);
    expect(await files("src", "deep/*.js")).toEqual(["src/deep/b.js"]);
  });

  test("a list of names may be longer than any name", async () => {
    const at = workspace(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`file${index}.js`, CALL])));
    const path = Array.from({ length: 60 }, (_, index) => `file${index}.js`).join(",");
    expect((await at.grep({ pat: ["load($A)"], path, limit: 100 })).details.fileCount).toBe(60);
  });

  test("empty strings are ignored", async () => {
    const { details } = await workspace({ "a.js": CALL }).grep({
      pat: ["load($A)"],
      path: "",
      glob: "",
      lang: " ",
      sel: "",
    });
    expect(details).toMatchObject({ matchCount: 1, scopePath: "." });
  });

  test("binary and large files are skipped, files that are not UTF-8 are reported", async () => {
    const at = workspace({
      "binary.js": "load(1)\0",
      "latin.js": Buffer.from("load('\xe9')\n", "latin1"),
      "large.js": `${CALL}//${"x".repeat(2 * 1024 * 1024)}`,
      "fine.js": CALL,
    });
    const { details } = await at.grep({ pat: ["load($A)"] });
    expect(details).toMatchObject({ files: ["fine.js"], filesSearched: 1, parseErrors: ["latin.js: is not UTF-8"] });
  });

  test("a file with syntax errors is searched and reported", async () => {
    const { text, details } = await workspace({ "a.js": "load(1);\nfunction (((\n" }).grep({ pat: ["load($A)"] });
    expect(details).toMatchObject({ matchCount: 1, parseErrors: ["a.js: syntax error"], parseErrorsTotal: 1 });
    expect(text).toEndWith("\n\nParse issues:\n- a.js: syntax error");
  });

  test("the first 20 of many issues are reported", async () => {
    const files = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`f${index}.js`, "((("]));
    const { text, details } = await workspace(files).grep({ pat: ["load($A)"] });
    expect(text).toContain("\nParse issues (20 / 23):\n");
    expect(text.split("\n- ")).toHaveLength(21);
    expect(details.parseErrors).toHaveLength(20);
    expect(details.parseErrorsTotal).toBe(23);
  });
});

describe("output", () => {
  test("is grouped by directory and file", async () => {
    const at = workspace({
      "src/api/user.ts": "\nconst u = fetchUser(id)\nfetchUser(7)\n",
      "src/z.ts": "fetchUser({\n  id,\n})\n",
      "top.ts": "fetchUser(1)\n",
    });
    const { text, details } = await at.grep({ pat: ["fetchUser($ID)"] });
    expect(text).toBe(
      [
        "# src/api",
        "## user.ts (2 matches)",
        ">> 2: const u = fetchUser(id)",
        "   captures: $ID = id",
        ">> 3: fetchUser(7)",
        "   captures: $ID = 7",
        "",
        "# src",
        "## z.ts (1 match)",
        ">> 1: fetchUser({",
        "   2:   id,",
        "   3: })",
        "   captures: $ID = { … (+2 lines)",
        "",
        "# .",
        "## top.ts (1 match)",
        ">> 1: fetchUser(1)",
        "   captures: $ID = 1",
      ].join("\n"),
    );
    expect(details).toEqual({
      matchCount: 4,
      fileCount: 3,
      filesSearched: 3,
      limitReached: false,
      scopePath: ".",
      files: ["src/api/user.ts", "src/z.ts", "top.ts"],
      fileMatches: [
        { path: "src/api/user.ts", count: 2 },
        { path: "src/z.ts", count: 1 },
        { path: "top.ts", count: 1 },
      ],
    });
  });

  test("context is shown once between matches that are close", async () => {
    const source = "a\r\nb\r\nhit(1)\r\nc\r\nhit(2)\r\nd\r\ne\r\n";
    const { text } = await workspace({ "a.ts": source }).grep({ pat: ["hit($_)"], context: 1.9 });
    expect(text.split("\n").slice(2)).toEqual(["   2- b", ">> 3: hit(1)", "   4- c", ">> 5: hit(2)", "   6- d"]);
  });

  test("context ends where the file does", async () => {
    const { text } = await workspace({ "a.ts": "hit(1)\nb" }).grep({ pat: ["hit($_)"], context: 9 });
    expect(text.split("\n").slice(2)).toEqual([">> 1: hit(1)", "   2- b"]);
  });

  test("nothing is `No matches found.`", async () => {
    const { text, details } = await workspace({ "a.ts": "a" }).grep({ pat: ["b"] });
    expect(text).toBe("No matches found.");
    expect(details).toMatchObject({ matchCount: 0, fileCount: 0, filesSearched: 1, files: [], fileMatches: [] });
  });

  test("a long match shows its beginning, a long line the part around the match", async () => {
    const long = `${"x;".repeat(500)}hit(1);${"y;".repeat(500)}\n`;
    const at = workspace({ "a.ts": long, "b.ts": `hit([\n${"  1,\n".repeat(40)}])\n` });
    const { text } = await at.grep({ pat: ["hit($_)"] });
    const [, , line] = text.split("\n");
    expect(line).toMatch(/^>> 1: …[x;]{100}hit\(1\);[y;]+…$/);
    expect(line?.length).toBeLessThan(520);
    expect(text).toContain("   20:   1,\n   … (+22 lines)");
  });

  test("control characters do not get through", async () => {
    const { text } = await workspace({ "a.ts": "hit('\u001b[31m')\n" }).grep({ pat: ["hit($A)"] });
    expect(text).toContain("hit('\\x1b[31m')");
  });

  test("long results are truncated, but important notes stay", async () => {
    const at = workspace({ "a.ts": "hit(1)\n".repeat(40), "broken.ts": "(((" }, { "tools.maxOutputLines": 10 });
    const { text, details } = await at.grep({ pat: ["hit($A)"] });
    expect(text).toContain("[The first 10 lines");
    expect(text).toEndWith("- broken.ts: syntax error");
    expect(details.matchCount).toBe(40);
  });
});

describe("limits", () => {
  const files = { "a.ts": "hit(1)\nhit(2)\n", "b.ts": "hit(3)\nhit(4)\n", "c.ts": "hit(5)\n" };

  async function captured(args: Partial<AstGrepArguments>): Promise<[string, boolean]> {
    const { text, details } = await workspace(files).grep({ pat: ["hit($A)"], ...args });
    return [[...text.matchAll(/\$A = (\d)/g)].map((match) => match[1]).join(""), details.limitReached];
  }

  test("matches are counted in path order", async () => {
    expect(await captured({})).toEqual(["12345", false]);
    expect(await captured({ limit: 3.9 })).toEqual(["123", true]);
    expect(await captured({ limit: 5 })).toEqual(["12345", false]);
    expect(await captured({ offset: 1, limit: 2 })).toEqual(["23", true]);
    expect(await captured({ offset: 4 })).toEqual(["5", false]);
  });

  test("the rest is offered", async () => {
    const { text } = await workspace(files).grep({ pat: ["hit($A)"], offset: 1, limit: 2 });
    expect(text).toEndWith("\n\nLimit reached; there is more. Continue with offset 3, or use a narrower path or glob.");
  });

  test("an offset after the last match says so", async () => {
    const { text } = await workspace(files).grep({ pat: ["hit($A)"], offset: 9 });
    expect(text).toBe("No matches found. Offset 9 leaves out all 5 matches.");
  });

  test("the number of files can be limited from outside", async () => {
    process.env.PINTLE_MAX_AST_FILES = "2";
    expect(await captured({})).toEqual(["1234", true]);
    process.env.PINTLE_MAX_AST_FILES = "many";
    expect(await captured({})).toEqual(["12345", false]);
  });

  test("the default limit is 50 matches", async () => {
    const { details } = await workspace({ "a.ts": "hit(1)\n".repeat(60) }).grep({ pat: ["hit($A)"] });
    expect(details).toMatchObject({ matchCount: 50, limitReached: true });
  });

  test("an abort ends the search", async () => {
    const reason = new Error("enough");
    await expect(workspace(files).grep({ pat: ["hit($A)"] }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("arguments", () => {
  const prepare = (args: Record<string, unknown>) => astGrepTool.prepareArguments?.(args);

  test("a single pattern and a list of paths are accepted", () => {
    expect(prepare({ pat: "f($A)", paths: ["a b", "c"] })).toEqual({ pat: ["f($A)"], path: '"a b","c"' });
    expect(prepare({ pat: ["a"], path: "x" })).toEqual({ pat: ["a"], path: "x" });
  });

  test("a list sent as text is left to the validation of arguments", () => {
    expect(prepare({ pat: '["a","b"]' })).toEqual({ pat: '["a","b"]' });
    expect(prepare({ pat: "[$A]" })).toEqual({ pat: ["[$A]"] });
  });

  test("the description is short", () => {
    expect(astGrepTool.description.length).toBeLessThan(900);
  });
});
