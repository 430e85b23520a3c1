import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { highlight } from "../../src/code/highlight.ts";
import { languageOfFile } from "../../src/code/languages.ts";

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
  "rb",
  "php",
];

describe("highlighting", () => {
  test("knows words, texts, numbers, comments, types and calls", () => {
    const code = 'const x: Map = run("a\\"b", 0x1f); // done';
    expect(highlight(code, "ts").filter(([kind]) => kind)).toEqual([
      ["keyword", "const"],
      ["type", "Map"],
      ["call", "run"],
      ["string", '"a\\"b"'],
      ["number", "0x1f"],
      ["comment", "// done"],
    ]);
    expect(highlight('{"a": true}', "json").filter(([kind]) => kind)).toEqual([
      ["structure", '"a"'],
      ["constant", "true"],
    ]);
    expect(highlight("a: 1 # c\n- b: x", "yml").filter(([kind]) => kind)).toEqual([
      ["structure", "a"],
      ["number", "1"],
      ["comment", "# c"],
      ["structure", "- b"],
    ]);
  });

  test("leaves every character as it is", () => {
    const piece = fc.constantFrom(
      '"',
      "'",
      "`",
      "/*",
      "*/",
      "//",
      "#",
      "<!--",
      "-->",
      "\n",
      " ",
      "if",
      "X1",
      "0b1",
      "\\",
      "é",
      "$a",
      "--x",
      "'''",
      "@",
      "[a]",
      ":",
    );
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES, "nothing"), fc.array(piece), (language, pieces) => {
        const code = pieces.join("");
        expect(
          highlight(code, language)
            .map(([, text]) => text)
            .join(""),
        ).toBe(code);
      }),
    );
  });

  test("hostile code takes no longer than other code", () => {
    for (const language of LANGUAGES) {
      for (const part of ['"', "'", "/*", "<!--", "'''", "--", "- ", "[", "\\", "a b", "0x", "@", "a:"]) {
        const code = part.repeat(90_000 / part.length);
        const shown = highlight(code, language).map(([, text]) => text);
        expect(shown.join("") === code).toBe(true);
      }
    }
  });

  test("a file is known by its ending or its name", () => {
    expect(["a/b.TS", "Makefile", "x.tar.gz", ""].map(languageOfFile)).toEqual(["ts", "makefile", "gz", ""]);
  });
});
