import { describe, expect, test } from "bun:test";
import { compileSafely } from "../../../src/rules/patterns/safe-pattern.ts";
import { isFound, scan } from "../../support/rules/scan.ts";

test.each([
  ["(a+)+$", "repeats something that repeats"],
  ["(\\w+\\s?)*$", "repeats something that repeats"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "repeats something that repeats"],
  ["(?:(?:a*)?b){2,}", "repeats something that repeats"],
  ["(?=(a+)+b)c", "repeats something that repeats"],
  ["((a{40}){40}){40}", "repeats too often"],
  ["a{3000}", "repeats too often"],
  ["a".repeat(5_000), "is longer than"],
  ["(a|aa)+(?!bc)", "repeats too freely"],
  ["a*a*b(?!cd)", "repeats too freely"],
  ["(a*b){2}(?!cd)", "repeats too freely"],
  ["(?!.*a.*b)c", "repeats too freely"],
  ["(a?){30}(?=bc)", "repeats too freely"],
  ["(a|b|ab){9}(?=bc)", "repeats too freely"],
  ["(", "Invalid regular expression"],
  ["[b-a]", "Invalid regular expression"],
  ["(?x)a", "Invalid regular expression"],
])("%s is refused: %s", (source, reason) => {
  expect(() => compileSafely(source)).toThrow(reason);
});

test("word boundaries follow the flags: ſ is a word character with i and u", () => {
  expect(isFound("(?i)\\B\\p{Lu}", ["aſ"])).toBe(true);
  expect(isFound("(?i)a\\Bſ", ["aſ"])).toBe(false);
});

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size));
}

// A backtracking search would take practically forever on one of these. That the test ends is the proof.
describe("hostile input", () => {
  const HOSTILE = [
    "(a|aa)+$",
    "(.*a){20}x",
    "a*a*a*a*b",
    "[\\s\\S]*[\\s\\S]*x",
    "(a?){30}a{30}b",
    "([a-z]|[b-y])+X",
    "(a|a)*b",
    "foo[\\s\\S]*ba[xz]",
    "a.{0,100}b.{0,100}X",
    "a+b(?!cd)X",
    "(\\w+)\\s+\\1!",
    "(?<!ab.*)aX",
    "\\p{L}+!",
  ];
  test.each(["a", "aab", "foo bar ", "ab\n", "aaaaaaaabcd"])("made of %j", (part) => {
    const { early, late } = scan(HOSTILE, cut(part.repeat(100_000 / part.length), 1_000));
    const found = [...early, ...late];
    expect(new Set(found).size).toBe(found.length); // each is reported once
  });

  test.each<[string, string, string, string]>([
    ["foo[^]*bar(?!ab)", "foobarab", "foo", "bar."],
    ["(\\w*)(?=ab\\1c)a", "aabxc ", "a", " abc"],
  ])("%s, which needs the square of the text, and is still found at its end", (source, head, part, end) => {
    const text = `${head}${part.repeat(300_000 / part.length)}`;
    expect(scan([source], [text, end])).toEqual({ early: [], late: [source] });
  });
});

describe("how a condition is written", () => {
  test.each<[string, string, boolean]>([
    ["(?i)foo", "a FOO", true],
    ["foo", "a FOO", false],
    ["(?s)a.b", "a\nb", true],
    ["a.b", "a\nb", false],
    ["(?is)A.B", "a\nb", true],
    ["(?i:foo)bar", "FOObar", true],
    ["(?i:foo)bar", "FOOBAR", false],
    ["^import", "x\nimport", true],
    ["import$", "import\nx", true],
    ["\\p{Lu}x", "Éx", true],
    ["\\u{1F600}", "😀", true],
    ["[😀]", "😀", true],
    ["a{,2}", "a{,2}", true],
    ["\\012", "\n", true],
    ["(a)(b)\\2\\1", "abba", true],
    ["(?<x>a|b)-\\k<x>", "a-b", false],
  ])("%s in %j: %p", (source, text, expected) => {
    expect(isFound(source, [text])).toBe(expected);
    expect(isFound(source, [...text])).toBe(expected);
  });
});

describe("when a match counts", () => {
  test.each<[string, string[], number]>([
    ["foo", ["f", "o", "o", "x"], 2],
    ["foo.*bar", ["foo", " b", "ar"], 2],
    ["[A-Z]{3}", ["A", "BC", "D"], 1],
    ["foo\\b", ["foo", "d foo", " "], 2],
    ["foo$", ["foo", "\n"], 1],
    ["foo(?!d)", ["foo", "l"], 1],
    ["foo(?!bar)", ["foo", "b", "a", "zz"], 3],
    ["foo(?!.*bar)", ["foo", " b", "az", "\n"], 3],
    ["foo(?=bar)", ["foo", "ba", "r", "x"], 3],
    ["(?<=let )x", ["let", " x"], 1],
  ])("%s: at the first piece of %j that makes it certain", (source, pieces, at) => {
    for (let count = 0; count <= at; count += 1) {
      expect(scan([source], pieces.slice(0, count)).early).toEqual([]);
    }
    expect(scan([source], pieces.slice(0, at + 1)).early).toEqual([source]);
  });

  test.each<[string, string[]]>([
    ["foo$", ["foo"]],
    ["foo(?![\\s\\S]*bar)", ["foo", "\n".repeat(50)]],
    ["foo(?!bar)", ["foo", "ba"]],
  ])("%s: only at the end of %j", (source, pieces) => {
    expect(scan([source], pieces)).toEqual({ early: [], late: [source] });
  });
});

describe("far apart", () => {
  const far = (length: number) => Array.from({ length: length / 100 }, () => "x".repeat(100));

  test("what the automaton decides has no limit", () => {
    expect(scan(["foo[^]*bar"], ["foo", ...far(100_000), "bar"]).early).toEqual(["foo[^]*bar"]);
  });

  test("what looks around is found within 16 KiB", () => {
    const source = "foo[^]*bar(?!ab)";
    expect(isFound(source, [...far(60_000), "foo", ...far(15_000), "bar", ...far(900)])).toBe(true);
    expect(isFound(source, [...far(16_800), "foo", ...far(16_000), "bar", ...far(100)])).toBe(true);
    expect(isFound(source, ["foo", ...far(60_000), "bar"])).toBe(false);
  });

  test("what looks around is found anywhere in a long piece", () => {
    for (const before of [1_020, 1_021, 1_022, 1_023, 1_024, 50_000]) {
      const text = `${"x".repeat(before)}foobaz${"x".repeat(100_000)}`;
      expect(scan(["foo(?!bar)"], [text]).early).toEqual(["foo(?!bar)"]);
    }
  });

  test("what is cut off does not become the beginning of a line", () => {
    expect(isFound("^xx(?!abc)", ["xxabc", ...far(60_000)])).toBe(false);
    expect(isFound("(?<![ax])x(?!ab)", ["xaba", ...far(60_000)])).toBe(false);
  });

  test("states without end do not fill the memory", () => {
    const source = "[ab]*a[ab]{14}X";
    let seed = 1;
    const pieces = Array.from({ length: 400 }, () =>
      Array.from({ length: 100 }, () => {
        seed = (seed * 48271) % 2147483647;
        return seed % 2 ? "a" : "b";
      }).join(""),
    );
    expect(isFound(source, [...pieces, `a${"b".repeat(14)}X`])).toBe(true);
    expect(isFound(source, [...pieces, `b${"b".repeat(14)}X`])).toBe(false);
  });
});
