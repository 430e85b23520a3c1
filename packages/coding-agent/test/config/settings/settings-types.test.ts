import { describe, expect, test } from "bun:test";
import {
  flag,
  integer,
  number,
  oneOf,
  type SettingType,
  stringEntries,
  stringListEntries,
  strings,
  text,
} from "../../../src/config/settings/settings-types.ts";

const JUNK = [undefined, null, Number.NaN, Symbol("x"), () => 1, [[]], { a: { b: {} } }];

describe.each<[string, SettingType<unknown>, unknown[], unknown[]]>([
  ["true or false", flag, [true, false], [0, 1, "true", [], {}]],
  ["an integer from 1 to 3", integer({ min: 1, max: 3 }), [1, 3], [0, 4, 1.5, "1", true, 2 ** 60, Infinity]],
  ["an integer of at least -1", integer({ min: -1 }), [-1, 2 ** 40], [-2, 2 ** 53, -Infinity]],
  ["a number of at most 3", number({ max: 3 }), [-7.5, 0, 3], [3.01, Infinity, "3"]],
  ["a number", number({}), [-7.5, 1e300], [Infinity, "1"]],
  ["a string", text, ["a", "true", " "], [0, true, ["a"], {}]],
  ["a or b", oneOf("a", "b"), ["a", "b"], ["c", "", "A", ["a"], "toString"]],
  ["a list of strings", strings, [[], ["a", ""]], ["a", [1], ["a", null], {}, { 0: "a", length: 1 }]],
  ["an object whose values are strings", stringEntries, [{}, { a: "b" }], [[], "a", { a: 1 }, { a: ["b"] }]],
  [
    "an object whose values are lists of strings",
    stringListEntries,
    [{}, { a: ["b"], c: [] }],
    [[], { a: "b" }, { a: [1] }],
  ],
])("%s", (expected, type, good, bad) => {
  test("is what the type says of itself", () => expect(type.expected).toBe(expected));

  test.each(good.map((value) => [value]))("takes %j", (value) => {
    const copy = type.read(value)?.value;
    expect(copy).toEqual(value);
    expect(Object.isFrozen(copy)).toBe(true);
  });

  test.each([...bad, ...JUNK].map((value) => [value]))("refuses %p", (value) => {
    expect(type.read(value)).toBeUndefined();
  });
});

test("an empty string is a value that means none", () => {
  expect(text.read("")).toEqual({ value: undefined });
});

describe("objects with free names", () => {
  const hostile = JSON.parse(
    '{"__proto__": "x", "constructor": "x", "prototype": "x", "toString": "mine", "a.b": "c"}',
  );

  test("drop names that mean something to JavaScript", () => {
    expect(Object.entries(stringEntries.read(hostile)?.value ?? {})).toEqual([
      ["toString", "mine"],
      ["a.b", "c"],
    ]);
  });

  test("know no name that the user did not write", () => {
    const { value = {} } = stringEntries.read({ a: "b" }) ?? {};
    expect([value.a, value.constructor, value.hasOwnProperty]).toEqual(["b", undefined, undefined] as never);
    expect(Object.getPrototypeOf(value)).toBeNull();
  });

  test("merge by name, the stronger one first", () => {
    const merged = stringListEntries.merge?.({ a: ["1"], b: ["2"] }, { b: ["3"], c: [] });
    expect({ ...merged }).toEqual({ a: ["1"], b: ["3"], c: [] });
    expect(Object.isFrozen(merged)).toBe(true);
  });

  test("are deep copies", () => {
    const input = { a: ["1"] };
    const copy = stringListEntries.read(input)?.value;
    input.a.push("2");
    expect(copy?.a).toEqual(["1"]);
    expect(Object.isFrozen(copy?.a)).toBe(true);
  });
});
