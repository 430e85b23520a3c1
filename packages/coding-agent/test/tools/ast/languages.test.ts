import { describe, expect, test } from "bun:test";
import { loadAstEngine } from "../../../../exec/src/native/ast-engine.ts";
import { type Language, Languages } from "../../../src/tools/ast/languages.ts";

const languages = new Languages(loadAstEngine().parsers);

describe("names", () => {
  test.each([
    ["ts", "typescript"],
    ["TSX", "tsx"],
    ["jsx", "javascript"],
    ["htm", "html"],
    ["scss", "css"],
    ["py", "python"],
    ["golang", "go"],
    ["rs", "rust"],
    [" java ", "java"],
    ["yml", "yaml"],
  ])("%s", (alias, name) => {
    expect(languages.named(alias).name).toBe(name);
  });

  test("an unknown one lists the known ones", () => {
    expect(() => languages.named("klingon")).toThrow(
      "Unsupported language: klingon. Supported: bash, c, css, go, html, java, javascript, json, python, rust, tsx, typescript, yaml.",
    );
  });

  test("an absent one also names the package", () => {
    expect(() => languages.named("c++")).toThrow(
      "Unsupported language: c++. This build lacks the package @ast-grep/lang-cpp for cpp. Supported: bash, c,",
    );
  });
});

describe("files", () => {
  test.each([
    ["a.ts", "typescript"],
    ["a.d.mts", "typescript"],
    ["a.tsx", "tsx"],
    ["a.cjs", "javascript"],
    ["a.XHTML", "html"],
    ["a.scss", "css"],
    ["a.pyi", "python"],
    ["dir.rs/a.h", "c"],
    ["a.hpp", "cpp"],
    ["a.yml", "yaml"],
    ["a.rb", "ruby"],
  ])("%s", (path, name) => {
    expect(languages.ofFile(path)?.name).toBe(name);
  });

  test("nothing is made up for other names", () => {
    expect(languages.ofFile("Makefile")).toBeUndefined();
    expect(languages.ofFile("a.unknown")).toBeUndefined();
    expect(languages.ofFile(".ts")).toBeUndefined();
  });

  test("a pack brings the extensions that pintle does not list", () => {
    const parser = { ...loadAstEngine().parsers.python!, extensions: ["gemspec"] };
    const withRuby = new Languages({ ruby: parser });
    expect((withRuby.ofFile("x.gemspec") as Language).engineName).toBe("ruby");
    expect(languages.ofFile("x.gemspec")).toBeUndefined();
  });
});
