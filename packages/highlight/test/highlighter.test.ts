import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { languageByName, languageOfFile, loadHighlighter, type TokenKind } from "../src/index.ts";

const { highlight } = await loadHighlighter();

const LANGUAGES = [
  "ts",
  "py",
  "sh",
  "json",
  "yaml",
  "toml",
  "html",
  "css",
  "sql",
  "rs",
  "go",
  "java",
  "c",
  "cs",
  "rb",
  "php",
  "lua",
  "diff",
  "md",
  "swift",
  "r",
  "nix",
  "shell",
];

const coloured = (code: string, language: string) => highlight(code, language).filter(([kind]) => kind);
const textOf = (code: string, language: string) =>
  highlight(code, language)
    .map(([, text]) => text)
    .join("");
const kindAt = (code: string, language: string, part: string): TokenKind | undefined => {
  let end = 0;
  return highlight(code, language).find(([, text]) => {
    end += text.length;
    return end > code.indexOf(part);
  })?.[0];
};

describe("highlighting", () => {
  test("finds keywords, strings, numbers, comments, types and calls", () => {
    expect(coloured('const x = new Map(run("a\\"b", 0x1f)); // done\nclass B {}', "ts")).toEqual([
      ["keyword", "const"],
      ["keyword", "new"],
      ["type", "Map"],
      ["call", "run"],
      ["string", '"a\\"b"'],
      ["number", "0x1f"],
      ["comment", "// done"],
      ["keyword", "class"],
      ["type", "B"],
    ]);
    expect(coloured('{"a": true}', "json")).toEqual([
      ["structure", '"a"'],
      ["constant", "true"],
    ]);
    expect(coloured("a: 1 # c", "yml")).toEqual([
      ["structure", "a:"],
      ["number", "1"],
      ["comment", "# c"],
    ]);
    expect(coloured("@@ -1 +1 @@\n-a\n+b\n c", "diff")).toEqual([
      ["structure", "@@ -1 +1 @@"],
      ["removed", "-a"],
      ["added", "+b"],
    ]);
  });

  test("ends a regular expression with a quote in it, and a heredoc with an apostrophe", () => {
    expect(kindAt('a = /"/; return b', "js", "return")).toBe("keyword");
    expect(kindAt("cat <<EOF\nit's\nEOF\nif true; then", "sh", "if")).toBe("keyword");
  });

  test("colours embedded code, and what a template inserts", () => {
    expect(kindAt("<script>let a</script>", "html", "let")).toBe("keyword");
    expect(coloured("`a$" + "{b}c`", "ts").map(([, text]) => text)).toEqual(["`a", "c`"]);
    expect(kindAt("$ echo 'a'\nb", "console", "'a'")).toBe("string");
  });

  test("keeps the state of a long comment or heredoc over many windows of code", () => {
    const lines = 'it\'s a "line" of text\n'.repeat(500);
    expect(coloured(`/*\n${lines}*/ let a`, "js")).toEqual([
      ["comment", `/*\n${lines}*/`],
      ["keyword", "let"],
    ]);
    expect(kindAt(`cat <<EOF\n${lines}EOF\nfi`, "sh", "fi")).toBe("keyword");
  });

  test("leaves every character unchanged", () => {
    const piece = fc.constantFrom(
      ...['"', "'", "`", "/*", "*/", "//", "#", "<!--", "-->", "\n", " ", "if", "X1", "0b1", "\\", "é", "$a", "--x"],
      ...["'''", "@", "[a]", ":", "\uffff", "😀", "<script>", "$" + "{", "<<EOF\n"],
    );
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES, "nothing"), fc.array(piece), (language, pieces) => {
        const code = pieces.join("");
        expect(textOf(code, language)).toBe(code);
        const long = code.repeat(Math.ceil(2_500 / (code.length || 1)));
        expect(textOf(long, language)).toBe(long);
      }),
    );
  });

  test("hostile code takes time in proportion to its length", () => {
    // Each of these takes 1 to 15 seconds if a grammar sees all of it at once.
    for (const [language, part] of [
      ["c", "a b\n"],
      ["cs", "a b\n"],
      ["cpp", "&lt"],
      ["ini", 'a\\"'],
      ["md", "["],
      ["sh", "$" + "{"],
    ] as const) {
      const code = part.repeat(20_000 / part.length);
      expect(textOf(code, language) === code).toBe(true);
    }
  });

  test("leaves very long code and unknown languages plain", () => {
    const long = "let a = 1;\n".repeat(10_000);
    expect(highlight(long, "js")).toEqual([[undefined, long]]);
    expect(highlight("let a", "klingon")).toEqual([[undefined, "let a"]]);
    expect(highlight("", "js")).toEqual([]);
  });
});

describe("languages", () => {
  test("a language is known by its name, its aliases and its file endings", () => {
    expect(["TypeScript", "tsx", "c++", "console", "nothing"].map(languageByName)).toEqual([
      "typescript",
      "typescript",
      "cpp",
      "shell",
      undefined,
    ]);
  });

  test("a file is known by its name or its ending", () => {
    expect(["a/b.TS", "Makefile", "C:\\x\\CMakeLists.txt", "x.tar.gz", ""].map(languageOfFile)).toEqual([
      "ts",
      "makefile",
      "cmakelists.txt",
      "gz",
      "",
    ]);
  });
});
