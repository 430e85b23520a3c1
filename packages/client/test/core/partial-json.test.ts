import { expect, test } from "bun:test";
import fc from "fast-check";
import { parsePartialObject } from "../../src/core/partial-json.ts";

const objects = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());

test("a whole text gives what JSON.parse gives", () => {
  fc.assert(
    fc.property(objects, fc.constantFrom(undefined, 2), (object, indent) => {
      const json = JSON.stringify(object, null, indent);
      expect(parsePartialObject(json)).toEqual(JSON.parse(json));
    }),
  );
});

test("every beginning gives a beginning", () => {
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
])("%s", (text, expected) => {
  expect(parsePartialObject(text)).toEqual(expected);
});

test.each(["[1,2", "12", '{"a":what', "{a:1}", "", "x{"])("no object: %s", (text) => {
  expect(parsePartialObject(text)).toBeUndefined();
});

test("a key called __proto__ is a key", () => {
  const object = parsePartialObject('{"__proto__":{"x":1},"b":2');
  expect(Object.keys(object ?? {})).toEqual(["__proto__", "b"]);
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
});

test("nesting without end is no crash", () => {
  expect(parsePartialObject('{"a":'.repeat(200_000))).toBeUndefined();
});

function isBeginning(partial: unknown, whole: unknown): boolean {
  if (typeof partial === "string" && typeof whole === "string") return whole.startsWith(partial);
  if (typeof partial === "number" && typeof whole === "number") return true; // 12 of 123
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
