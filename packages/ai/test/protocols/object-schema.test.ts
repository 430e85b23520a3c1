import { expect, test } from "bun:test";
import { toObjectSchema } from "../../src/protocols/object-schema.ts";

const path = { type: "string" };
const line = { type: "integer" };

test.each<[string, object, object]>([
  ["nothing", {}, { type: "object", properties: {} }],
  [
    "an object",
    { type: "object", properties: { path }, required: ["path"], additionalProperties: false },
    { type: "object", properties: { path }, required: ["path"], additionalProperties: false },
  ],
  [
    "alternatives",
    { anyOf: [{ properties: { path }, required: ["path"] }, { properties: { line } }], oneOf: [], not: {}, enum: [1] },
    { type: "object", properties: { path, line } },
  ],
  [
    "an intersection",
    { properties: { line }, required: ["line"], allOf: [{ properties: { path }, required: ["path", "line"] }] },
    { type: "object", properties: { path, line }, required: ["line", "path"] },
  ],
  [
    "a reference",
    { $ref: "#/$defs/Args", $defs: { Args: { type: "object", properties: { path }, required: ["path"] } } },
    {
      type: "object",
      properties: { path },
      required: ["path"],
      $defs: { Args: { type: "object", properties: { path }, required: ["path"] } },
    },
  ],
  [
    "alternatives that are references, and made of others",
    {
      oneOf: [{ $ref: "#/$defs/Path" }, { anyOf: [{ properties: { line } }, { $ref: "#/$defs/Self" }] }],
      allOf: [{ allOf: [{ required: ["path"] }] }],
      $defs: { Path: { properties: { path } }, Self: { anyOf: [{ $ref: "#/$defs/Self" }] } },
    },
    {
      type: "object",
      properties: { path, line },
      required: ["path"],
      $defs: { Path: { properties: { path } }, Self: { anyOf: [{ $ref: "#/$defs/Self" }] } },
    },
  ],
  ["a reference to nowhere", { $ref: "#/definitions/Gone" }, { type: "object", properties: {} }],
])("%s", (_name, parameters, expected) => {
  const before = JSON.stringify(parameters);
  expect(toObjectSchema(parameters)).toEqual(expected as never);
  expect(JSON.stringify(parameters)).toBe(before);
});

test("variants that references multiply without limit", () => {
  const references = (name: string) => Array.from({ length: 200 }, () => ({ $ref: `#/$defs/${name}` }));
  const names = ["A", "B", "C", "D", "E", "F"];
  const $defs = Object.fromEntries(
    names.map((name, index) => [name, { anyOf: references(names[index + 1] ?? "Leaf") }]),
  );
  const parameters = { properties: { path }, anyOf: [{ properties: { line } }, { $ref: "#/$defs/A" }], $defs };
  expect(toObjectSchema(parameters).properties).toEqual({ path, line });
});
