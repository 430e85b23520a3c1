import { expect, test } from "bun:test";
import { mentionedLanguages } from "../../src/reading/index.ts";

test.each([
  ["a fence", "Look:\n```rb\nputs 1\n```", ["ruby"]],
  ["a fence of tildes, with an attribute", "~~~ swift {.x}\nlet a\n~~~", ["swift"]],
  ["an extension", "src/main.kt and lib/a.pl, not etc.", ["kotlin", "perl"]],
  ["a whole file name", "lib/Makefile", ["makefile"]],
  ["a name that is also a language word elsewhere", "the go and the r in a sentence", []],
])("finds %s", (_, text, languages) => {
  expect([...mentionedLanguages(JSON.stringify({ text }))].sort()).toEqual(languages);
});

test("takes time in proportion to the text", () => {
  const text = JSON.stringify({ data: "abcdefghij".repeat(500_000), dots: ".a".repeat(500_000) });
  expect(mentionedLanguages(text)).toEqual(new Set());
});
