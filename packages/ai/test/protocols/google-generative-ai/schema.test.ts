import { expect, test } from "bun:test";
import fc from "fast-check";
import { toGeminiSchema } from "../../../src/protocols/google-generative-ai/schema.ts";

/** The schema of one property. */
function adapted(schema: unknown): unknown {
  return (toGeminiSchema({ type: "object", properties: { x: schema } }).properties as { x: unknown }).x;
}

test("keeps what the API documents", () => {
  const schema = {
    type: "object",
    description: "d",
    properties: {
      list: { type: "array", items: { type: ["string", "null"] }, minItems: 1, maxItems: 2 },
      pair: { type: "array", prefixItems: [{ type: "number", minimum: 0, maximum: 9 }] },
      any: { anyOf: [{ type: "string", format: "date-time" }, { $ref: "#/$defs/Node" }] },
      one: { oneOf: [{ enum: ["a", 1] }], title: "t" },
    },
    required: ["list"],
    additionalProperties: false,
    $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
  };
  expect(toGeminiSchema(schema)).toEqual(schema);
});

test.each<[string, unknown, unknown]>([
  ["a constant is a list of one", { const: "a" }, { type: "string", enum: ["a"] }],
  ["a number", { const: 1, description: "d" }, { type: "number", enum: [1], description: "d" }],
  ["a truth is only a type", { const: true }, { type: "boolean" }],
  ["nothing is only a type", { const: null }, { type: "null" }],
  ["a list of other values", { enum: [null, true, "a"] }, { enum: ["a"] }],
  ["a list of nothing else", { type: "boolean", enum: [true] }, { type: "boolean" }],
  [
    "limits that are checked before a tool runs anyway",
    { type: "integer", exclusiveMinimum: 0, multipleOf: 2, default: 4, pattern: "x", uniqueItems: true, $comment: "c" },
    { type: "integer" },
  ],
  ["nothing stands beside a reference", { $ref: "#/$defs/A", description: "d" }, { $ref: "#/$defs/A" }],
  ["an older reference", { $ref: "#/definitions/A" }, { $ref: "#/$defs/A" }],
  ["older definitions", { definitions: { A: { const: 1 } } }, { $defs: { A: { type: "number", enum: [1] } } }],
  [
    "an intersection is one",
    {
      description: "d",
      allOf: [
        { properties: { a: {} }, required: ["a"] },
        { properties: { b: true }, required: ["b"] },
      ],
    },
    { description: "d", properties: { a: {}, b: {} }, required: ["a", "b"] },
  ],
  ["an intersection of one reference", { allOf: [{ $ref: "#/$defs/A" }], default: {} }, { $ref: "#/$defs/A" }],
  ["anything", true, {}],
  [
    "more properties",
    { additionalProperties: { const: "a" } },
    { additionalProperties: { type: "string", enum: ["a"] } },
  ],
  [
    "a property that is called like a keyword",
    { properties: { const: { type: "string" } } },
    { properties: { const: { type: "string" } } },
  ],
])("%s", (_name, schema, expected) => {
  expect(adapted(schema)).toEqual(expected);
});

test("never changes the schema itself", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("allOf", "anyOf", "const", "enum", "items", "properties", "$ref"), fc.jsonValue()),
      (schema) => {
        const before = JSON.stringify(schema);
        adapted(schema);
        expect(JSON.stringify(schema)).toBe(before);
      },
    ),
  );
});
