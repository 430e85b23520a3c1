import { expect, test } from "bun:test";
import fc from "fast-check";
import { parsePartialObject } from "../../src/core/partial-json.ts";

const objects = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());

test("parses complete text like JSON.parse", () => {
  fc.assert(
    fc.property(objects, fc.constantFrom(undefined, 2), (object, indent) => {
      const json = JSON.stringify(object, null, indent);
      expect(parsePartialObject(json)).toEqual(JSON.parse(json));
    }),
  );
});

test("parses every prefix to a partial value", () => {
  fc.assert(
    fc.property(objects, fc.nat(), (object, at) => {
      const json = JSON.stringify(object);
      const cut = json.slice(0, at % (json.length + 1));
      const partial = parsePartialObject(cut);
      if (cut === "") expect(partial).toBeUndefined();
      else expect(isBeginning(partial, JSON.parse(json))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['{"a":"x', { a: "x" }],
  ['{"a":"x\\', { a: "x" }],
  ['{"a":"x\\u00', { a: "x" }],
  ['{"a":1,"b', { a: 1 }],
  ['{"a":1,"b":', { a: 1 }],
  ['{"a":tr', { a: true }],
  ['{"a":[1,{"b":nul', { a: [1, { b: null }] }],
  ['{"a":1e', { a: 1 }],
  ['{"a":-', {}],
  ['  {"a": 12', { a: 12 }],
  ['{"a":"x ', { a: "x " }],
])("%s", (text, expected) => {
  expect(parsePartialObject(text)).toEqual(expected);
});

test.each(["[1,2", "12", '{"a":what', "{a:1}", "", "x{"])("rejects text that is not an object: %s", (text) => {
  expect(parsePartialObject(text)).toBeUndefined();
});

test("treats __proto__ as an ordinary key", () => {
  const object = parsePartialObject('{"__proto__":{"x":1},"b":2');
  expect(Object.keys(object ?? {})).toEqual(["__proto__", "b"]);
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
});

test("does not crash on endless nesting", () => {
  expect(parsePartialObject('{"a":'.repeat(200_000))).toBeUndefined();
});

function isBeginning(partial: unknown, whole: unknown): boolean {
  if (typeof partial === "string" && typeof whole === "string") return whole.startsWith(partial);
  if (typeof partial === "number" && typeof whole === "number") return true; // 12 is a prefix of 123
  if (Array.isArray(partial) && Array.isArray(whole))
    return partial.every((item, index) => isBeginning(item, whole[index]));
  if (isObject(partial) && isObject(whole)) {
    return Object.keys(partial).every((key) => Object.hasOwn(whole, key) && isBeginning(partial[key], whole[key]));
  }
  return partial === whole;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
