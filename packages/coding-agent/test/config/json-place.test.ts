import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findJsonFault } from "../../src/config/json-place.ts";

describe("the place is where the text stops being JSON", () => {
  test.each([
    ["", 1, 1],
    ["{", 1, 2],
    ['{\n  "a": 1,\n}', 3, 1],
    ['{\n  "a": 1,\n  // why\n  "b": 2\n}', 3, 3],
    ['{ "a" 1 }', 1, 7],
    ['{ "a": 1 "b": 2 }', 1, 10],
    ["[1, 2,]", 1, 7],
    ["{ a: 1 }", 1, 3],
    ['{ "a": nul }', 1, 8],
    ['{ "a": 01 }', 1, 8],
    ['{ "a": "x\ny" }', 1, 8],
    ['{ "a": "\\x" }', 1, 8],
    ["{} {}", 1, 4],
    ['\r\n{\r\n\t"a": [1}\r\n}', 3, 9],
    ["[".repeat(200_000), 1, 200_001],
  ])("%j", (text, line, column) => {
    expect(findJsonFault(text)).toEqual({ line, column });
  });

  test("a text that is cut off has its fault at its end or in its last word", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, cut) => {
        const text = json.slice(0, cut % Math.max(1, json.length));
        const { line, column } = findJsonFault(text);
        expect(line).toBe(1);
        expect(column).toBeLessThanOrEqual(text.length + 1);
        // All before it can be completed, so nothing before it is the fault.
        expect(json.startsWith(text.slice(0, column - 1))).toBe(true);
      }),
    );
  });

  test("valid JSON has none before its end", () => {
    fc.assert(
      fc.property(fc.json(), (json) => expect(findJsonFault(json)).toEqual({ line: 1, column: json.length + 1 })),
    );
  });
});
