import { describe, expect, test } from "bun:test";
import Ajv from "ajv/dist/2020.js";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { repairSchema } from "../../src/schemas/schema-repair.ts";
import { fitSchema } from "../../src/schemas/schema-size.ts";
import { checkToolSchema } from "../../src/schemas/tool-schema.ts";

const standard = new Ajv({ strict: false, validateFormats: false });

/** A schema with one property, where most faults occur. */
const about = (a: unknown, more: object = {}) => ({ type: "object", properties: { a }, ...more });
const repaired = (schema: unknown) => repairSchema(schema) as Record<string, unknown>;
const repairedProperty = (a: unknown) => (repaired(about(a)).properties as { a: unknown }).a;

describe("repairs a property", () => {
  test.each<[string, unknown, unknown]>([
    ["draft 4, with a limit", { minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }],
    ["draft 4, without one", { exclusiveMaximum: true }, {}],
    ["draft 4, switched off", { maximum: 3, exclusiveMaximum: false }, { maximum: 3 }],
    [
      "draft 7: a tuple",
      { type: "array", items: [{ type: "string" }, {}], additionalItems: false },
      { type: "array", prefixItems: [{ type: "string" }, {}], items: false },
    ],
    ["draft 7: an open tuple", { items: [true] }, { prefixItems: [true] }],
    ["draft 7: an empty tuple", { type: "array", items: [] }, { type: "array", items: {} }],
    [
      "draft 7: dependencies",
      { dependencies: { a: ["b", "b"], c: { required: ["d"] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    ],
    ["draft 7: an anchor", { $id: "#here" }, { $anchor: "here" }],
    ["OpenAPI", { type: "string", nullable: true, enum: ["x"] }, { type: ["string", "null"], enum: ["x", null] }],
    [
      "OpenAPI, next to alternatives",
      { anyOf: [{ type: "string" }], nullable: true },
      { anyOf: [{ type: "string" }, { type: "null" }] },
    ],
    ["a list of one type", { type: ["string"] }, { type: "string" }],
    ["type names of other languages", { type: "int" }, { type: "integer" }],
    ["a type name for any type", { type: "any" }, {}],
    ["capitals", { type: "ARRAY", items: { type: "STRING" } }, { type: "array", items: { type: "string" } }],
    ["short", "string", { type: "string" }],
    ["PHP", { type: "object", properties: [] }, { type: "object", properties: {} }],
    ["a list of anything", { type: "array" }, { type: "array", items: {} }],
    ["another regex dialect", { type: "string", pattern: "^(?P<year>\\d{4})$" }, { type: "string" }],
    ["patterns without the flag", { pattern: "^[\\w-]+\\@$" }, { pattern: "^[\\w\\-]+@$" }],
    [
      "another regex dialect, for names",
      { patternProperties: { "(?i)x": {}, "^y": {} }, additionalProperties: false },
      { patternProperties: { "^y": {} } },
    ],
    ["invalid values", { minLength: "3", maxItems: -1, anyOf: [], enum: [], title: 5, uniqueItems: "no" }, {}],
  ])("%s", (_, given, expected) => {
    expect(repairedProperty(given)).toEqual(expected);
  });
});

describe("a whole schema", () => {
  test("collects properties that are marked as required themselves", () => {
    const given = { properties: { a: { type: "string", required: true }, b: { required: false }, c: {} } };
    expect(repaired({ ...given, required: ["c"] })).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: {}, c: {} },
      required: ["c", "a"],
    });
    // A property may have the same name as the keyword.
    expect(repaired({ properties: { required: { type: "boolean" } } })).toEqual({
      properties: { required: { type: "boolean" } },
      type: "object",
    });
  });

  test("updates references to definitions that move", () => {
    const given = {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: {
        a: { $ref: "#/definitions/pair" },
        b: { $ref: "#/definitions/pair/items/0" },
        c: { $ref: "#/properties/definitions" },
        d: { $ref: "#/definitions/a%20b" },
        definitions: { type: "string" },
      },
      definitions: {
        pair: { type: "array", items: [{ type: "string" }, { $ref: "#/definitions/pair" }], additionalItems: {} },
        "a b": { type: "number" },
      },
      default: { $ref: "#/definitions/pair" },
    };
    const schema = repaired(given);
    expect(schema).toEqual({
      type: "object",
      properties: {
        a: { $ref: "#/$defs/pair" },
        b: { $ref: "#/$defs/pair/prefixItems/0" },
        c: { $ref: "#/properties/definitions" },
        d: { $ref: "#/$defs/a%20b" },
        definitions: { type: "string" },
      },
      $defs: {
        pair: { type: "array", prefixItems: [{ type: "string" }, { $ref: "#/$defs/pair" }], items: {} },
        "a b": { type: "number" },
      },
      default: { $ref: "#/definitions/pair" },
    });
    expect(checkToolSchema(schema)).toBe(schema);
  });

  test.each<[unknown, unknown]>([
    [undefined, { type: "object", properties: {} }],
    [null, { type: "object", properties: {} }],
    [[], { type: "object", properties: {} }],
    [{ type: ["object"] }, { type: "object" }],
    [{ type: ["object", "null"] }, { type: "object" }],
    [{}, { type: "object" }],
    [{ type: "array" }, "its schema must describe an object"],
    ["text", "its schema is not an object"],
    [about({ type: "strnig" }), 'its schema cannot be used: unknown type "strnig" at /properties/a/type'],
  ])("%j", (given, expected) => {
    expect(repairSchema(given) as unknown).toEqual(expected);
  });

  test("stays unchanged if it is valid", () => {
    const given = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" }, list: { type: "array", prefixItems: [{}], items: false } },
      required: ["a"],
      $defs: { a: { type: ["string", "null"], pattern: "^a", minLength: 1 } },
      anyOf: [{ required: ["a"] }, { required: ["list"] }],
      "x-ours": { type: "whatever" },
    };
    expect(repaired(given)).toEqual(given);
  });
});

const KEYWORDS = [
  "type",
  "properties",
  "required",
  "items",
  "additionalItems",
  "prefixItems",
  "definitions",
  "$defs",
  "$ref",
  "$id",
  "enum",
  "const",
  "pattern",
  "patternProperties",
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "nullable",
  "anyOf",
  "allOf",
  "oneOf",
  "not",
  "dependencies",
  "dependentRequired",
  "additionalProperties",
  "title",
  "default",
  "$anchor",
  "multipleOf",
  "examples",
  "uniqueItems",
  "__proto__",
  "$schema",
  "$vocabulary",
  "a",
];
const LEAVES = fc.oneof(
  fc.constantFrom<unknown>("string", "object", "array", "int", "strnig", "(", "\\@", "#/definitions/a", "#x", "", "a"),
  fc.constantFrom<unknown>(true, false, null, 0, 1, -1, 1.5),
);
const { nearly } = fc.letrec<{ nearly: unknown; value: unknown }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, LEAVES, fc.array(tie("value"), { maxLength: 3 }), tie("nearly")),
  nearly: fc
    .array(fc.tuple(fc.constantFrom(...KEYWORDS), tie("value")), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries)),
}));

test("turns any input into a valid schema that needs no further repair, or returns a reason", () => {
  let schemas = 0;
  fc.assert(
    fc.property(nearly, (given) => {
      const schema = repairSchema(given);
      if (typeof schema === "string") return expect(schema).toStartWith("its schema ");
      schemas += 1;
      expect([standard.validateSchema(schema), standard.errors ?? []]).toEqual([true, []]);
      expect(repairSchema(schema)).toEqual(schema);
    }),
    { numRuns: 2_000 },
  );
  expect(schemas).toBeGreaterThan(200);
});

describe("a schema that is too large", () => {
  const deep = (levels: number): object =>
    levels === 0
      ? { type: "string", description: "d".repeat(500) }
      : about(deep(levels - 1), { description: "d".repeat(500), required: ["a"] });

  test("loses descriptions first, then depth, and is dropped last", () => {
    const schema = repaired(deep(6));
    const lengths = [5_000, 2_500, 400, 250, 80, 20].map((max) => {
      const fitting = fitSchema(schema, max);
      return fitting && JSON.stringify(fitting).length <= max;
    });
    expect(lengths).toEqual([true, true, true, true, true, undefined]);
    expect(fitSchema(schema, 100_000)).toBe(schema);
    expect(JSON.stringify(fitSchema(schema, 2_500)).match(/"a"/g)).toHaveLength(12);
    expect(fitSchema(schema, 80)).toEqual({ type: "object", properties: { a: {} }, required: ["a"] });
  });

  test("still accepts everything that it accepted before", () => {
    const schema = repaired({
      properties: {
        a: { oneOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/name" } }] },
        b: { not: { $ref: "#/$defs/name" } },
        c: { if: { not: { $ref: "#/$defs/name" } }, else: false },
      },
      allOf: [{ $ref: "#/$defs/more" }],
      unevaluatedProperties: false,
      $defs: { name: { type: "string", maxLength: 5 }, more: { properties: { d: {} } } },
    });
    const values = [{ a: ["x"] }, { a: "text" }, { b: 5 }, { c: 5 }, { d: 1 }];
    const length = JSON.stringify(schema).length;
    for (const max of [length - 1, length / 2, 150, 100]) {
      const fitting = checkToolSchema(fitSchema(schema, max) as Record<string, unknown>);
      expect(values.map((value) => Compile(fitting as never).Check(value))).toEqual(values.map(() => true));
    }
  });
});

test("updates each of very many references to the new location of its schema", () => {
  const names = Array.from({ length: 60_000 }, (_, index) => `n${index}`);
  const entries = (value: (name: string) => unknown) => Object.fromEntries(names.map((name) => [name, value(name)]));
  const properties = entries((name) => ({ $ref: `#/definitions/${name}/items/0` }));
  const given = { properties, definitions: entries(() => ({ items: [{ type: "string" }] })) };
  const moved = repaired({ type: "object", ...given }).properties as Record<string, { $ref: string }>;
  expect(names.every((name) => moved[name]?.$ref === `#/$defs/${name}/prefixItems/0`)).toBe(true);
});
