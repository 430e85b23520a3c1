import { expect, test } from "bun:test";
import { visibleName, visiblePath } from "../../src/text/visible-name.ts";

test.each([
  ["plain-name.ts", "plain-name.ts"],
  ["größe 日本.ts", "größe 日本.ts"],
  ["\u001b]0;title\u0007x", "?]0;title?x"],
  ["a\nb\r\tc\u0000", "a?b??c?"],
  ["gpj.\u202eexe", "gpj.?exe"],
  ["zero\u200bwidth\u{e0041}", "zero?width?"],
  ["\u2028\u2029\u009b", "???"],
])("%j is shown as %j", (name, shown) => {
  expect(visibleName(name)).toBe(shown);
});

test("a name has an end, a path is whole", () => {
  expect(visiblePath(`${"x".repeat(500)}\u001b`)).toBe(`${"x".repeat(500)}?`);
  expect(visibleName("x".repeat(500))).toBe(`${"x".repeat(200)}…`);
});
