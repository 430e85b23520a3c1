import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonText } from "../../../scripts/docs/wire/json-text.ts";

test("parses to the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value))),
    ),
  );
});

test("a list is one line if it fits, an object never is", () => {
  expect(jsonText({ a: ["x", 1], b: {}, c: [{ d: null }] })).toBe(`{
  "a": ["x", 1],
  "b": {},
  "c": [
    {
      "d": null
    }
  ]
}`);
  const long = Array.from({ length: 30 }, () => "words");
  expect(jsonText({ long }).split("\n")).toHaveLength(34);
});
