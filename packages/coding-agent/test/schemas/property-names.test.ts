import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { renameProperties, withRealNames } from "../../src/schemas/property-names.ts";

describe("names of parameters", () => {
  test("stay unchanged if every provider accepts them", () => {
    expect(renameProperties({ properties: { "a.b-c_1": {} } })).toBeUndefined();
    expect(renameProperties({})).toBeUndefined();
  });

  test("are replaced throughout the schema otherwise, and restored for the call", () => {
    const found = renameProperties({
      properties: { $top: { type: "integer" }, _top: {}, "größe (cm)": { properties: { "ä ö": {} } } },
      required: ["$top"],
      dependentRequired: { $top: ["größe (cm)", "_top"] },
      anyOf: [{ required: ["$top"] }, { properties: { $skip: {} }, not: { required: ["$skip"] } }],
      additionalProperties: false,
    });
    expect(found?.schema).toEqual({
      properties: { _top_2: { type: "integer" }, _top: {}, gr__e__cm_: { properties: { "ä ö": {} } } },
      required: ["_top_2"],
      dependentRequired: { _top_2: ["gr__e__cm_", "_top"] },
      anyOf: [{ required: ["_top_2"] }, { properties: { _skip: {} }, not: { required: ["_skip"] } }],
      additionalProperties: false,
    });
    expect(withRealNames({ _top_2: 1, gr__e__cm_: { _top_2: 2 }, other: 3 }, found?.realNames ?? new Map())).toEqual({
      $top: 1,
      "größe (cm)": { _top_2: 2 },
      other: 3,
    });
  });

  test("are unique and valid, and arguments for the new schema fit the old one", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom("a b", "a_b", "a/b", "x".repeat(70)),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 6 }), (names) => {
        const schema = {
          type: "object",
          properties: Object.fromEntries(names.map((own) => [own, { type: "string" }])),
          required: names,
          additionalProperties: false,
        };
        const found = renameProperties(schema);
        const usable = Object.keys((found?.schema ?? schema).properties as object);
        expect(usable.every((own) => /^[a-zA-Z0-9_.-]{1,64}$/.test(own))).toBe(true);
        expect(new Set(usable).size).toBe(names.length);
        const args = Object.fromEntries(usable.map((own) => [own, "x"]));
        expect(Compile(schema as never).Check(found ? withRealNames(args, found.realNames) : args)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
