import { describe, expect, test } from "bun:test";
import { validatorFor } from "../../../agent/src/validate-arguments.ts";
import { checkOutputSchema } from "../../src/schemas/output-schema.ts";

const isValid = (schema: object, value: unknown) => validatorFor(checkOutputSchema(schema).checked)(value).length === 0;

describe("enforces every keyword that it accepts", () => {
  test.each<[object, unknown, unknown]>([
    [{ type: "integer" }, 1, 1.5],
    [{ type: ["string", "null"] }, null, 1],
    [{ enum: [1, "a"] }, "a", 2],
    [{ const: null }, null, 0],
    [{ properties: { a: { type: "string" } } }, { a: "" }, { a: 1 }],
    [{ patternProperties: { "^a": { type: "string" } } }, { b: 1 }, { ab: 1 }],
    [{ additionalProperties: false }, {}, { a: 1 }],
    [{ propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
    [{ required: ["a"] }, { a: 1 }, {}],
    [{ dependentRequired: { a: ["b"] } }, { b: 1 }, { a: 1 }],
    [{ dependentSchemas: { a: { required: ["b"] } } }, {}, { a: 1 }],
    [{ minProperties: 1 }, { a: 1 }, {}],
    [{ maxProperties: 0 }, {}, { a: 1 }],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    [{ items: { type: "string" } }, ["a"], [1]],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a"], ["a", 1]],
    [{ prefixItems: [{}], unevaluatedItems: false }, [1], [1, 2]],
    [{ contains: { const: 1 } }, [1], [2]],
    [{ contains: { const: 1 }, minContains: 2 }, [1, 1], [1]],
    [{ contains: { const: 1 }, maxContains: 1 }, [1], [1, 1]],
    [{ minItems: 1 }, [1], []],
    [{ maxItems: 1 }, [1], [1, 2]],
    [{ uniqueItems: true }, [1, 2], [{ a: 1 }, { a: 1 }]],
    [{ anyOf: [{ const: 1 }, { const: 2 }] }, 2, 3],
    [{ oneOf: [{ type: "integer" }, { minimum: 2 }] }, 1, 3],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 1, 3],
    [{ not: { const: 1 } }, 2, 1],
    [JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}'), "ab", 1],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, "a", 1],
    [{ $ref: "#a", $defs: { x: { $anchor: "a", type: "string" } } }, "a", 1],
    [{ minLength: 2 }, "ab", "😀"],
    [{ maxLength: 1 }, "😀", "ab"],
    [{ pattern: "^a$" }, "a", "b"],
    [{ minimum: 1 }, 1, 0],
    [{ maximum: 1 }, 1, 2],
    [{ exclusiveMinimum: 1 }, 2, 1],
    [{ exclusiveMaximum: 1 }, 0, 1],
    [{ multipleOf: 0.1 }, 0.3, 0.35],
  ])("%j", (schema, right, wrong) => {
    expect([isValid(schema, right), isValid(schema, wrong)]).toEqual([true, false]);
  });

  test("treats format and unknown keywords as annotations, and allows properties with these names", () => {
    expect(isValid({ format: "email", "x-note": 1 }, "no address")).toBe(true);
    expect(isValid({ properties: { format: { type: "integer", format: "int32" } } }, { format: "a" })).toBe(false);
  });
});

describe("rejected, with the location", () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
  test.each<[string, unknown, string]>([
    ["true", true, "the schema must be an object"],
    ["a list", [], "the schema must be an object"],
    ["another draft's reference", { $dynamicRef: "#a" }, "/$dynamicRef is not supported: use $ref"],
    ["dependencies", { properties: { a: { dependencies: {} } } }, "/properties/a/dependencies is not supported"],
    ["additionalItems", { additionalItems: false }, "/additionalItems is not supported"],
    ["a list of items", { items: [{}] }, "/items must be a schema"],
    [
      "a remote reference",
      { items: { $ref: "https://a.example" } },
      "/items/$ref must be a reference into the same schema",
    ],
    ["a lost reference", { items: { $ref: "#/$defs/a" } }, "/items/$ref cannot be used"],
    ["a bad pattern", { pattern: "(" }, "/pattern cannot be used"],
    ["an invalid count", { minItems: -1 }, "/minItems must be an integer that is not negative"],
    ["an invalid name", { properties: { "a/b": { type: 1 } } }, "/properties/a~1b/type must be the name"],
    ["too deep", deep(40), "the schema must not be nested deeper than 32 levels"],
    ["too large", { description: "x".repeat(70_000) }, "the schema must not be larger than 65536 bytes"],
  ])("%s", (_what, schema, text) => {
    expect(() => checkOutputSchema(schema)).toThrow(text);
  });
});
