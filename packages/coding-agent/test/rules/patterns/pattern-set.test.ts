import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../../agent/test/support/property-runs.ts";
import { compileSafely } from "../../../src/rules/patterns/safe-pattern.ts";
import { isFound, regexOf, scan } from "../../support/rules/scan.ts";

const character = fc.constantFrom("a", "b", "A", "B", " ", "\n", "\r", "_", "1", ".", "-", "é", "\ud83d\ude00", "ſ");
const single = fc.constantFrom(
  ...["a", "b", "B", " ", "é", "😀", "_", "ſ"],
  ...[".", "\\w", "\\W", "\\s", "\\S", "\\d", "\\D", "\\.", "\\n", "\\x61", "\\u0062", "\\-", "\\cJ", "\\0"],
  ...["[ab]", "[^a]", "[^\\n]", "[\\s\\S]", "[a-c.]", "[\\]a]", "[]", "[^]", "[-b]", "[\\b]"],
);
const edge = fc.constantFrom("^", "$", "\\b", "\\B", "(?=a)", "(?!a)", "(?<=b)", "(?<!\\w)", "(?![\\s.])", "(?<=[^a])");
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?", "{0}", "??");

/** Pattern sources. Each use filters out those that rules refuse. */
function patternOf(extra: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { pattern } = fc.letrec<{ pattern: string; term: string; group: string }>((tie) => ({
    pattern: fc
      .array(
        fc.oneof(
          { weight: 8, arbitrary: tie("term") },
          { weight: 1, arbitrary: fc.constant("|") },
          { weight: 2, arbitrary: edge },
          { weight: 1, arbitrary: extra },
        ),
        { minLength: 1, maxLength: 5 },
      )
      .map((parts) => parts.join("")),
    term: fc
      .tuple(fc.oneof({ depthSize: "small", withCrossShrink: true }, single, tie("group")), quantifier)
      .map(([body, count]) => body + count),
    group: fc
      .tuple(fc.constantFrom("(", "(?:", "(?i:", "(?<n>", "(?-m:", "(?s:"), tie("pattern"))
      .map(([open, body]) => `${open}${body})`),
  }));
  return fc.tuple(fc.constantFrom("", "", "(?i)", "(?s)", "(?is)"), pattern).map((parts) => parts.join(""));
}

const text = fc.array(character, { maxLength: 24 }).map((parts) => parts.join(""));

/** A string in pieces; a boundary may split a surrogate pair. */
const pieces = fc.tuple(text, fc.array(fc.nat(40), { maxLength: 8 })).map(([whole, cuts]) => {
  const places = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((end, index) => whole.slice(places[index], end));
});

function isUsable(source: string): boolean {
  try {
    compileSafely(source);
    return true;
  } catch {
    return false;
  }
}

describe("finds in pieces exactly what RegExp finds in the whole", () => {
  test(
    "patterns that an automaton decides",
    () => {
      let usable = 0;
      fc.assert(
        fc.property(patternOf(fc.constant("")).filter(isUsable), pieces, (source, parts) => {
          usable += compileSafely(source).confirm ? 0 : 1;
          expect(isFound(source, parts)).toBe(regexOf(source).test(parts.join("")));
        }),
        propertyRuns({ numRuns: 3_000, seed: 1 }),
      );
      expect(usable).toBeGreaterThan(1_000);
    },
    PROPERTY_TIMEOUT_MS,
  );

  test(
    "patterns with wider look-around, and Unicode",
    () => {
      const looks = fc.constantFrom(
        ...[
          "(?=ab)",
          "(?!ab)",
          "(?<=ab)",
          "(?<!a.)",
          "(?!.*b)",
          "(?=.*b$)",
          "(?![\\s\\S]*b)",
          "(a|b)\\1",
          "\\b(\\w)\\s\\2",
        ],
        ...["\\p{L}", "\\p{Lu}", "\\u{1F600}", "[^\\p{L}]"],
      );
      let looking = 0;
      fc.assert(
        fc.property(patternOf(looks).filter(isUsable), pieces, (source, parts) => {
          looking += compileSafely(source).confirm ? 1 : 0;
          expect(isFound(source, parts)).toBe(regexOf(source).test(parts.join("")));
        }),
        propertyRuns({ numRuns: 3_000, seed: 2 }),
      );
      expect(looking).toBeGreaterThan(500);
    },
    PROPERTY_TIMEOUT_MS,
  );

  test(
    "many patterns at once find what each finds alone",
    () => {
      const many = fc.array(patternOf(fc.constantFrom("(?!ab)", "")).filter(isUsable), { minLength: 2, maxLength: 6 });
      fc.assert(
        fc.property(many, pieces, (sources, parts) => {
          const { early, late } = scan([...new Set(sources)], parts);
          const whole = parts.join("");
          const expected = [...new Set(sources)].filter((source) => regexOf(source).test(whole));
          expect([...early, ...late].sort()).toEqual(expected.sort());
        }),
        propertyRuns({ numRuns: 500, seed: 3 }),
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
