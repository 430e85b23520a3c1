import { describe, expect, test } from "bun:test";
import { Compile } from "typebox/schema";
import { checkToolSchema } from "../../src/schemas/tool-schema.ts";

function reasonAgainst(schema: object): string | undefined {
  try {
    checkToolSchema(schema as Record<string, unknown>);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const accepts = (schema: object, value: unknown) =>
  Compile(checkToolSchema(schema as Record<string, unknown>) as never).Check(value);

describe("types", () => {
  test.each([
    [{ type: "objct" }, 'unknown type "objct" at /type'],
    [{ properties: { a: { items: { type: ["string", "int"] } } } }, 'unknown type "int" at /properties/a/items/type'],
    [{ type: 5 }, "unknown type 5 at /type"],
    [{ type: [] }, "unknown type [] at /type"],
    [{ type: null }, "unknown type null at /type"],
    [{ anyOf: [{}, { type: "any" }] }, 'unknown type "any" at /anyOf/1/type'],
    [{ $defs: { unused: { type: "void" } } }, 'unknown type "void" at /$defs/unused/type'],
    [{ patternProperties: { "^a": { type: "text" } } }, 'unknown type "text" at /patternProperties/^a/type'],
  ])("%j", (schema, reason) => {
    expect(reasonAgainst(schema)).toBe(reason);
  });

  test("ignores properties and values that only look like keywords", () => {
    const schema = {
      type: "object",
      properties: { type: { type: "string" }, $ref: { type: "string" }, pattern: { type: "number" } },
      default: { type: "x", $ref: "#/nowhere", pattern: "(" },
      enum: [{ type: "x" }],
      const: { $ref: "#/nowhere" },
      examples: [{ type: "y" }],
    };
    expect(checkToolSchema(schema)).toBe(schema);
  });
});

describe("references", () => {
  test.each([
    [{ $ref: "#/definitions/a" }, 'unresolvable $ref "#/definitions/a" at /$ref'],
    [
      { properties: { a: { $ref: "#/$defs/b" } }, $defs: { a: {} } },
      'unresolvable $ref "#/$defs/b" at /properties/a/$ref',
    ],
    [{ items: { $ref: "other.json" } }, 'unresolvable $ref "other.json" at /items/$ref'],
    [{ items: { $ref: "#name" } }, 'unresolvable $ref "#name" at /items/$ref'],
    [{ items: { $ref: 5 } }, "unresolvable $ref 5 at /items/$ref"],
    [{ items: { $ref: "#/%" } }, 'unresolvable $ref "#/%" at /items/$ref'],
    [{ items: { $ref: "http://[" } }, 'unresolvable $ref "http://[" at /items/$ref'],
    [
      { items: { $ref: "http://json-schema.org/draft-07/schema#" } },
      'unresolvable $ref "http://json-schema.org/draft-07/schema#" at /items/$ref',
    ],
    [{ items: { $ref: "#/title" }, title: "a text" }, 'unresolvable $ref "#/title" at /items/$ref'],
    [{ items: { $ref: "#/x/y" }, x: { y: { $ref: "#/x/z" } } }, 'unresolvable $ref "#/x/z" at /items/$ref/$ref'],
    [{ $ref: "#" }, "a $ref leads back to itself"],
    [{ allOf: [{ anyOf: [{ $ref: "#" }] }] }, "a $ref leads back to itself"],
    [
      {
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: { a: { $ref: "#/$defs/b" }, b: { not: { $ref: "#/$defs/a" } } },
      },
      "a $ref leads back to itself",
    ],
  ])("%j", (schema, reason) => {
    expect(reasonAgainst(schema)).toBe(reason);
  });

  test.each([
    ["definitions", { definitions: { n: { type: "number" } }, properties: { a: { $ref: "#/definitions/n" } } }],
    ["$defs", { $defs: { n: { type: "number" } }, properties: { a: { $ref: "#/$defs/n" } } }],
    ["escapes", { $defs: { "a/b c~d": { type: "number" } }, properties: { a: { $ref: "#/$defs/a~1b%20c~0d" } } }],
    ["anchor", { $defs: { n: { $anchor: "num", type: "number" } }, properties: { a: { $ref: "#num" } } }],
    [
      "relative id",
      { $id: "http://x/tool", $defs: { n: { $id: "n.json", type: "number" } }, properties: { a: { $ref: "n.json" } } },
    ],
    [
      "absolute id",
      {
        $id: "http://x/tool",
        $defs: { n: { $id: "n.json", type: "number" } },
        properties: { a: { $ref: "http://x/n.json" } },
      },
    ],
    ["plain id", { $defs: { n: { $id: "Num", type: "number" } }, properties: { a: { $ref: "Num" } } }],
    [
      "own address",
      { $id: "http://x/tool", $defs: { n: { type: "number" } }, properties: { a: { $ref: "http://x/tool#/$defs/n" } } },
    ],
    ["foreign keyword", { shared: { n: { type: "number" } }, properties: { a: { $ref: "#/shared/n" } } }],
  ])("resolves a reference through %s, like the validator", (_name, schema) => {
    expect([accepts(schema, { a: 1 }), accepts(schema, { a: "1" })]).toEqual([true, false]);
  });

  test("supports a recursive schema", () => {
    const tree = {
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
      required: ["name"],
    };
    expect(accepts(tree, { name: "a", children: [{ name: "b", children: [] }] })).toBe(true);
    expect(accepts(tree, { name: "a", children: [{ children: [] }] })).toBe(false);
    const viaChoice = {
      $defs: {
        node: { anyOf: [{ type: "null" }, { type: "object", properties: { next: { $ref: "#/$defs/node" } } }] },
      },
      $ref: "#/$defs/node",
    };
    expect([accepts(viaChoice, { next: { next: null } }), accepts(viaChoice, { next: 1 })]).toEqual([true, false]);
  });
});

describe("patterns", () => {
  test("rejects an invalid pattern with the engine's reason", () => {
    expect(reasonAgainst({ properties: { a: { pattern: "(" } } })).toMatch(
      /^bad pattern "\(" at \/properties\/a\/pattern: Invalid regular expression: /,
    );
    expect(reasonAgainst({ patternProperties: { "[": {} } })).toMatch(
      /^bad pattern "\[" at \/patternProperties: Invalid regular expression: /,
    );
  });

  test("rewrites patterns for engines without the u flag, in a copy", () => {
    const schema = {
      type: "object",
      properties: { mail: { type: "string", pattern: "^[\\w-.]+\\@[a-z\\_]+$" }, plain: { pattern: "^a$" } },
      patternProperties: { "^\\-x": { type: "number" } },
    };
    const before = structuredClone(schema);
    expect(checkToolSchema(schema)).toEqual({
      type: "object",
      properties: { mail: { type: "string", pattern: "^[\\w\\-.]+@[a-z_]+$" }, plain: { pattern: "^a$" } },
      patternProperties: { "^-x": { type: "number" } },
    });
    expect(schema).toEqual(before);
    expect(accepts(schema, { mail: "a.b-c@host_name", "-x": 1 })).toBe(true);
    expect(accepts(schema, { mail: "a b@host" })).toBe(false);
    expect(accepts(schema, { "-x": "1" })).toBe(false);
  });

  test("also rewrites patterns that only a reference leads to", () => {
    const schema = { shared: { id: { pattern: "^\\#$" } }, properties: { a: { $ref: "#/shared/id" } } };
    expect([accepts(schema, { a: "#" }), accepts(schema, { a: "x" })]).toEqual([true, false]);
  });
});

test("returns a usable schema unchanged", () => {
  for (const schema of [{}, { type: "object", properties: { a: true, b: false } }, { properties: null, items: 5 }]) {
    expect(checkToolSchema(schema)).toBe(schema as never);
  }
});

test("rejects a schema that is too deep, like any other unusable one", () => {
  let schema: object = {};
  for (let depth = 0; depth < 50_000; depth++) schema = { not: schema };
  expect(reasonAgainst(schema)).toBe("it is nested more than 200 levels deep");
});
