import { expect, test } from "bun:test";
import { Type } from "typebox";
import { Definitions, refTo } from "../src/schema/json-schema.ts";

const point = () => Type.Object({ x: Type.Integer(), y: Type.Integer() });

test("a schema that equals a named one becomes a reference, wherever it is", () => {
  const definitions = new Definitions({ Point: point(), Word: Type.Union([Type.Literal("a"), Type.Literal("b")]) });
  const line = Type.Object({
    from: point(),
    to: Type.Optional(point()),
    between: Type.Array(Type.Union([point(), Type.Null()])),
    word: Type.Union([Type.Literal("a"), Type.Literal("b")]),
    by: Type.Unsafe<unknown>(Type.Ref("Word")),
  });
  expect(definitions.expand(line)).toEqual({
    type: "object",
    required: ["from", "between", "word", "by"],
    properties: {
      from: refTo("Point"),
      to: refTo("Point"),
      between: { type: "array", items: { anyOf: [refTo("Point"), { type: "null" }] } },
      word: refTo("Word"),
      by: refTo("Word"),
    },
  });
  expect(definitions.all()).toEqual({
    Point: { type: "object", required: ["x", "y"], properties: { x: { type: "integer" }, y: { type: "integer" } } },
    Word: { type: "string", enum: ["a", "b"] },
  });
});

test("a schema with more detail than its double is written out", () => {
  const definitions = new Definitions({ Count: Type.Integer() });
  expect(definitions.use(Type.Integer())).toEqual(refTo("Count"));
  expect(definitions.use(Type.Integer({ description: "of apples" }))).toEqual({
    type: "integer",
    description: "of apples",
  });
});

test("objects with any keys", () => {
  const definitions = new Definitions({});
  expect(definitions.use(Type.Record(Type.String(), Type.Number()))).toEqual({
    type: "object",
    additionalProperties: { type: "number" },
  });
  expect(definitions.use(Type.Object({}))).toEqual({ type: "object" });
});

test("two names for one schema are refused, because a reference would be ambiguous", () => {
  expect(() => new Definitions({ One: point(), Two: point() })).toThrow("Two and One are the same schema");
});
