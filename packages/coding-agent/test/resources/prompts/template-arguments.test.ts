import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fillTemplate, splitArguments } from "../../../src/resources/prompts/template-arguments.ts";

describe("splitArguments", () => {
  test.each([
    ["", []],
    ["  a   b\tc\nd ", ["a", "b", "c", "d"]],
    [`"a b" 'c d'`, ["a b", "c d"]],
    [`a"b c"d`, ["ab cd"]],
    [`"it's" 'say "hi"'`, ["it's", 'say "hi"']],
    [`"" ''`, ["", ""]],
    [`a "b c`, ["a", "b c"]],
    [`a\\" b"`, ["a\\ b"]],
  ])("%j", (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });
});

describe("fillTemplate", () => {
  test.each([
    ["$1 and $2", "a b c", "a and b"],
    ["[$3]", "a b", "[]"],
    ["$10", "1 2 3 4 5 6 7 8 9 ten", "ten"],
    ["$0", "a", ""],
    ["$@ | $ARGUMENTS", `a "b c"`, "a b c | a b c"],
    [`\${@:2}`, "a b c", "b c"],
    [`\${@:2:1} \${@:1:2}`, "a b c", "b a b"],
    [`\${@:0} \${@:9}`, "a b", "a b "],
    ["$1 $@", "$2 $ARGUMENTS", "$2 $2 $ARGUMENTS"],
    ["costs $ and {x} and $x", "", "costs $ and {x} and $x"],
    ["plain", "", "plain"],
    ["plain\n", " for me ", "plain\n\nfor me"],
    ["$2", "a", ""],
  ])("%j with %j", (text, args, expected) => {
    expect(fillTemplate(text, args)).toBe(expected);
  });

  test("never expands inserted text again", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[$@{}:A-Z12]{1,12}$/), (word) => {
        expect(fillTemplate("<$1>", word)).toBe(`<${word}>`);
        expect(fillTemplate("<$@>", word)).toBe(`<${word}>`);
      }),
    );
  });
});
