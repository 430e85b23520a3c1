import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { toUnicodePattern } from "../../src/schemas/schema-patterns.ts";

describe("spelling", () => {
  test.each([
    ["^\\-a\\_\\:\\ \\\"\\'\\@$", "^-a_: \"'@$"],
    ["[\\w-.]", "[\\w\\-.]"],
    ["[a-\\d]", "[a\\-\\d]"],
    ["[\\-\\.\\_\\b]", "[\\-\\.\\_\\b]".replace("\\_", "_")],
    ["a{x}", "a\\{x\\}"],
    ["a]b", "a\\]b"],
    ["\\_a{2,3}", "_a{2,3}"],
    ["\\_\\u0041\\x41\\cA\\bx\\B", "_\\u0041\\x41\\cA\\bx\\B"],
    ["\\_\\u\\x", "_ux"],
    ["\\_(a)\\1(?<n>b)\\k<n>", "_(a)\\1(?<n>b)\\k<n>"],
    ["\\_\\p{L}", "_\\p{L}"],
  ])("%s", (pattern, spelled) => {
    expect(toUnicodePattern(pattern)).toBe(spelled);
  });

  test("leaves a valid pattern unchanged", () => {
    for (const pattern of ["", "^[a-z]+$", "\\p{Lu}", "[\\-]", "\\/", "a|b{2}", "(?=x)y"]) {
      expect(toUnicodePattern(pattern)).toBe(pattern);
    }
  });

  test("rejects an invalid pattern, and one that is valid only without the flag", () => {
    for (const pattern of ["(", "[", "a**", "\\", "(?=a)*", "\\07"]) {
      expect(() => toUnicodePattern(pattern)).toThrow(SyntaxError);
    }
  });
});

test("the new spelling matches the same strings as the old one", () => {
  const literal = fc.constantFrom("a", "-", "_", "]", "}", "{", "=", "\\-", "\\_", "\\=", "\\.", "\\]", "\\}", "\\{");
  const set = fc.constantFrom("\\w", "\\d", "\\S");
  const inClass = fc.oneof(set, fc.constantFrom("a", "_", "\\-", "\\_", "\\=", "}", "{", "\\]", "0-9", "\\w-", "-\\d"));
  const characterClass = fc
    .tuple(fc.constantFrom("[", "[^"), fc.array(inClass, { minLength: 1, maxLength: 4 }))
    .map(([open, items]) => `${open}${items.join("")}]`);
  const atom = fc.oneof(literal, set, characterClass);
  const pattern = fc.array(
    fc.tuple(atom, fc.constantFrom("", "", "*", "{2}")).map((pair) => pair.join("")),
    {
      maxLength: 6,
    },
  );
  const subject = fc.array(fc.constantFrom("a", "-", "_", "]", "}", "{", "=", ".", "0", " "), { maxLength: 6 });
  fc.assert(
    fc.property(pattern, fc.array(subject, { minLength: 5, maxLength: 5 }), (parts, subjects) => {
      const source = parts.join("");
      fc.pre(isLoosePattern(source));
      const spelled = new RegExp(toUnicodePattern(source), "u");
      const loose = new RegExp(source);
      for (const text of subjects.map((letters) => letters.join(""))) {
        expect(spelled.exec(text)?.[0]).toBe(loose.exec(text)?.[0] as string);
      }
    }),
    { numRuns: 500 },
  );
});

function isLoosePattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
