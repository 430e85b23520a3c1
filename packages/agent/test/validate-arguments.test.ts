import { describe, expect, test } from "bun:test";
import { type TSchema, Type } from "typebox";
import { Settings } from "typebox/system";
import { validateArguments } from "../src/validate-arguments.ts";
import { makeTool } from "./support/tools.ts";

type Args = Record<string, unknown>;

/** Returns the arguments the tool would get, or the text the model would. */
function check(parameters: object, sent: Args, rest: { lenientArgValidation?: boolean } = {}): Args | string {
  const validation = validateArguments(makeTool("t", undefined, { parameters: parameters as TSchema, ...rest }), sent);
  return validation.ok ? validation.args : validation.text;
}

/** The lines about the errors. */
function complaints(parameters: object, sent: Args): string[] {
  const text = check(parameters, sent);
  if (typeof text !== "string") throw new Error(`accepted: ${JSON.stringify(text)}`);
  const lines = text.split("\n");
  expect(lines[0]).toBe('Validation failed for tool "t":');
  return lines.slice(1, lines.indexOf("")).map((line) => line.replace(/^ {2}- /, ""));
}

const object = (properties: object, rest: object = {}) => ({ type: "object", properties, ...rest });

describe("strings are parsed as the expected type", () => {
  const rows: [expected: object, sent: string, got: unknown][] = [
    [{ type: "number" }, "5", 5],
    [{ type: "number" }, "-1.5e3", -1500],
    [{ type: "number" }, " 7 ", 7],
    [{ type: "integer" }, "5", 5],
    [{ type: "integer" }, "5.0", 5],
    [{ type: "boolean" }, "true", true],
    [{ type: "boolean" }, "false", false],
    [{ type: "array", items: { type: "string" } }, '["a","b"]', ["a", "b"]],
    [{ type: "object" }, '{"a":1}', { a: 1 }],
    [{ type: ["number", "null"] }, "5", 5],
    [{ anyOf: [{ type: "number" }, { type: "null" }] }, "5", 5],
    [{ oneOf: [{ type: "boolean" }, { type: "array" }] }, "[1]", [1]],
    [{ allOf: [{ type: "number" }] }, "5", 5],
    // A string where a string is expected stays one, whatever it looks like.
    [{ type: "string" }, "5", "5"],
    [{ type: ["string", "number"] }, "5", "5"],
    [{}, "5", "5"],
  ];
  for (const [expected, sent, got] of rows) {
    test(`${JSON.stringify(expected)} from ${JSON.stringify(sent)}`, () => {
      expect(check(object({ v: expected }), { v: sent })).toEqual({ v: got });
    });
  }
});

describe("strings that do not contain the expected type are refused", () => {
  const rows: [expected: object, sent: unknown, complaint: string][] = [
    [{ type: "number" }, "five", "v: must be number"],
    [{ type: "number" }, "", "v: must be number"],
    [{ type: "number" }, "true", "v: must be number"],
    [{ type: "number" }, "0x10", "v: must be number"],
    [{ type: "number" }, "[5]", "v: must be number"],
    [{ type: "integer" }, "5.5", "v: must be integer"],
    [{ type: "boolean" }, "yes", "v: must be boolean"],
    [{ type: "boolean" }, "1", "v: must be boolean"],
    [{ type: "array" }, "a,b", "v: must be array"],
    [{ type: "array" }, '{"a":1}', "v: must be array"],
    [{ type: "object" }, "[1]", "v: must be object"],
    [{ type: "object" }, "{oops", "v: must be object"],
    // Only strings are parsed as something else.
    [{ type: "string" }, 5, "v: must be string"],
    [{ type: "number" }, true, "v: must be number"],
    [{ type: "array" }, 5, "v: must be array"],
  ];
  for (const [expected, sent, complaint] of rows) {
    test(`${JSON.stringify(expected)} from ${JSON.stringify(sent)}`, () => {
      expect(complaints(object({ v: expected }), { v: sent })).toEqual([complaint]);
    });
  }
});

test("parsed values are validated against the rest of the schema", () => {
  expect(complaints(object({ n: { type: "integer", minimum: 10 } }), { n: "5" })).toEqual(["n: must be >= 10"]);
});

test("strings inside strings are parsed, at most five levels deep", () => {
  const nest = (depth: number): object => (depth === 0 ? { type: "number" } : object({ in: nest(depth - 1) }));
  const write = (depth: number): unknown => (depth === 0 ? "1" : JSON.stringify({ in: write(depth - 1) }));
  const value = (depth: number): unknown => (depth === 0 ? 1 : { in: value(depth - 1) });
  expect(check(object({ v: nest(4) }), { v: write(4) })).toEqual({ v: value(4) });
  expect(complaints(object({ v: nest(5) }), { v: write(5) })).toEqual(["v.in.in.in.in.in: must be number"]);
});

test("a long list of numbers in strings is parsed as a whole, and the compiler's limits stay unchanged", () => {
  const before = Settings.Get().maxErrors;
  const list = Array.from({ length: 500 }, (_, n) => n);
  expect(check(object({ v: { type: "array", items: { type: "number" } } }), { v: list.map(String) })).toEqual({
    v: list,
  });
  expect(Settings.Get().maxErrors).toBe(before);
});

describe("nulls", () => {
  const rows: [what: string, schema: object, sent: Args, got: Args | string[]][] = [
    [
      "an optional one is left out",
      object({ a: { type: "string" }, b: { type: "number" } }),
      { a: null, b: 1 },
      { b: 1 },
    ],
    [
      "a required one is reported",
      object({ a: { type: "string" } }, { required: ["a"] }),
      { a: null },
      ["a: must be string"],
    ],
    ["one that is allowed stays", object({ a: { type: ["string", "null"] } }), { a: null }, { a: null }],
    [
      "one that is allowed by a choice stays",
      object({ a: { anyOf: [{ type: "string" }, { type: "null" }] } }),
      { a: null },
      { a: null },
    ],
    [
      "one that no choice allows is left out",
      object({ a: { anyOf: [{ type: "string" }, { type: "number" }] } }),
      { a: null },
      {},
    ],
    ["one outside of a list of values is left out", object({ a: { enum: ["x", "y"] } }), { a: null }, {}],
    ["inside of an object", object({ o: object({ a: { type: "string" } }) }), { o: { a: null } }, { o: {} }],
    [
      "inside of a list's objects",
      object({ l: { type: "array", items: object({ a: { type: "string" } }) } }),
      { l: [{ a: null }] },
      { l: [{}] },
    ],
    [
      "an item of a list is reported",
      object({ l: { type: "array", items: { type: "string" } } }),
      { l: [null] },
      ["l.0: must be string"],
    ],
    [
      "behind a reference",
      { ...object({ o: { $ref: "#/$defs/o" } }), $defs: { o: object({ a: { type: "string" } }) } },
      { o: { a: null } },
      { o: {} },
    ],
    ["in a part of a schema", { allOf: [object({ a: { type: "string" } })] }, { a: null }, {}],
    ["of a property nobody declared stays", object({}), { a: null }, { a: null }],
    [
      "several at once, one of them required",
      object({ a: { type: "string" }, b: { type: "string" } }, { required: ["b"] }),
      { a: null, b: null },
      ["b: must be string"],
    ],
    ["a property with a slash in its name", object({ "a/b": { type: "string" } }), { "a/b": null }, {}],
    [
      "a required property with a slash in its name",
      object({ "a/b~": { type: "string" } }, { required: ["a/b~"] }),
      { "a/b~": null },
      ["a/b~: must be string"],
    ],
    ["the word null is left out where no string is allowed", object({ a: { type: "number" } }), { a: "null" }, {}],
    [
      "the word null is a value where a string is allowed",
      object({ a: { type: "string" } }),
      { a: "null" },
      { a: "null" },
    ],
    [
      "the word null is a value where a string is one choice",
      object({ a: { anyOf: [{ type: "string" }, { type: "number" }] } }),
      { a: "null" },
      { a: "null" },
    ],
    [
      "the word null is read as null where null is required",
      object({ a: { type: "null" } }, { required: ["a"] }),
      { a: "null" },
      { a: null },
    ],
    [
      "the word null for a required number is reported",
      object({ a: { type: "number" } }, { required: ["a"] }),
      { a: "null" },
      ["a: must be number"],
    ],
  ];
  for (const [what, schema, sent, got] of rows) {
    test(what, () => {
      expect(Array.isArray(got) ? complaints(schema, sent) : check(schema, sent)).toEqual(got);
    });
  }
});

describe("the model reads", () => {
  test("the whole text", () => {
    const schema = Type.Object({ path: Type.String(), limit: Type.Optional(Type.Integer()) });
    expect(check(schema, { limit: "many" })).toBe(
      [
        'Validation failed for tool "t":',
        "  - path: is required",
        "  - limit: must be integer",
        "",
        "Received arguments:",
        '{\n  "limit": "many"\n}',
      ].join("\n"),
    );
  });

  const rows: [what: string, schema: object, sent: Args, lines: string[]][] = [
    ["every missing property by name", object({}, { required: ["a", "b"] }), {}, ["a: is required", "b: is required"]],
    [
      "a missing property of an inner object",
      object({ o: object({}, { required: ["a"] }) }),
      { o: {} },
      ["o.a: is required"],
    ],
    [
      "a place in a list",
      object({ l: { type: "array", items: object({ n: { type: "number" } }) } }),
      { l: [{}, { n: "x" }] },
      ["l.1.n: must be number"],
    ],
    ["an error about the whole", object({}, { minProperties: 1 }), {}, ["root: must not have fewer than 1 properties"]],
    [
      "a property that is not allowed",
      object({ a: {} }, { additionalProperties: false }),
      { b: 1 },
      ["b: is not allowed"],
    ],
    [
      "a property that no part allows",
      object({ a: {} }, { unevaluatedProperties: false }),
      { b: 1 },
      ["b: is not allowed"],
    ],
    [
      "an additional property of the wrong type",
      object({}, { additionalProperties: { type: "number" } }),
      { b: true },
      ["b: must be number"],
    ],
    ["the values of an enum", object({ a: { enum: ["x", 1] } }), { a: "z" }, ['a: must be one of "x", 1']],
    [
      "the values of a choice of constants",
      object({ a: { anyOf: [{ const: "x" }, { const: "y" }] } }),
      { a: "z" },
      ['a: must be one of "x", "y"'],
    ],
    ["a single constant", object({ a: { const: "x" } }), { a: "z" }, ['a: must be "x"']],
    [
      "each choice of types",
      object({ a: { anyOf: [{ type: "number" }, { type: "boolean" }] } }),
      { a: "z" },
      ["a: must be number", "a: must be boolean"],
    ],
    [
      "two choices that both fit",
      object({ a: { oneOf: [{ type: "number" }, { minimum: 0 }] } }),
      { a: 1 },
      ["a: must match exactly one schema in oneOf"],
    ],
    [
      "names with slashes and tildes as they are",
      object({ "a/b~c": { type: "number" } }),
      { "a/b~c": true },
      ["a/b~c: must be number"],
    ],
  ];
  for (const [what, schema, sent, lines] of rows) test(what, () => expect(complaints(schema, sent)).toEqual(lines));

  test("received arguments are cut at 4000 characters, not inside a character", () => {
    const text = check(object({ a: { type: "number" } }), { a: "x".repeat(5000) }) as string;
    const received = text.slice(text.indexOf("Received arguments:\n") + "Received arguments:\n".length);
    expect(received).toBe(`${JSON.stringify({ a: "x".repeat(5000) }, null, 2).slice(0, 4000)}…`);
    for (const offset of [0, 1]) {
      const wide = check(object({ a: { type: "number" } }), { a: "x".repeat(offset) + "🙂".repeat(3000) }) as string;
      expect(wide.isWellFormed()).toBe(true);
    }
  });

  test("a hundred errors are counted, not listed", () => {
    const list = Array.from({ length: 100 }, () => "x");
    const lines = complaints(object({ l: { type: "array", items: { type: "number" } } }), { l: list });
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe("  … and 80 more");
  });
});

describe("JSON Schema as hosts write it", () => {
  const pydantic = {
    ...object(
      { item: { $ref: "#/$defs/Item" }, note: { anyOf: [{ type: "string" }, { type: "null" }], default: null } },
      { required: ["item"] },
    ),
    $defs: {
      Item: object({ count: { type: "integer" }, kind: { enum: ["a", "b"], type: "string" } }, { required: ["count"] }),
    },
  };
  const draft7 = {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...object({ p: { $ref: "#/definitions/p" } }),
    definitions: { p: { type: "number" } },
  };
  const tuple = object({ t: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] } });
  const conditional = object(
    { mode: { enum: ["a", "b"] } },
    { if: { properties: { mode: { const: "a" } }, required: ["mode"] }, else: { required: ["x"] } },
  );
  const recursive = { ...object({ name: { type: "string" }, child: { $ref: "#" } }) };
  const pattern = object({ id: { type: "string", pattern: "^[a-z]+$" }, url: { type: "string", format: "uri" } });
  const map = object({ env: { type: "object", additionalProperties: { type: "number" } } });
  const rows: [what: string, schema: object, sent: Args, got: Args | string[]][] = [
    [
      "references and optional nulls",
      pydantic,
      { item: { count: "3", kind: null }, note: null },
      { item: { count: 3 }, note: null },
    ],
    [
      "errors behind references",
      pydantic,
      { item: { kind: "c" } },
      ["item.count: is required", 'item.kind: must be one of "a", "b"'],
    ],
    ["definitions of draft 7", draft7, { p: "2" }, { p: 2 }],
    ["tuples", tuple, { t: ["a", "1"] }, { t: ["a", 1] }],
    ["conditions", conditional, { mode: "b" }, ["x: is required", 'root: must match "else" schema']],
    [
      "recursion",
      recursive,
      { name: "a", child: { name: "b", child: { name: 5 } } },
      ["child.child.name: must be string"],
    ],
    [
      "patterns and formats",
      pattern,
      { id: "A", url: "no" },
      ['id: must match pattern "^[a-z]+$"', 'url: must match format "uri"'],
    ],
    ["maps", map, { env: { A: "1", B: 2 } }, { env: { A: 1, B: 2 } }],
    ["no schema to speak of", {}, { anything: [1] }, { anything: [1] }],
  ];
  for (const [what, schema, sent, got] of rows) {
    test(what, () => expect(Array.isArray(got) ? complaints(schema, sent) : check(schema, sent)).toEqual(got));
  }
});

test("a lenient tool gets the raw arguments, as a copy", () => {
  const sent = { n: "many", x: null, deep: { list: [1] } };
  const got = check(object({ n: { type: "number" }, x: { type: "string" } }), sent, { lenientArgValidation: true });
  expect(got).toEqual(sent);
  expect(got).not.toBe(sent);
  expect((got as typeof sent).deep).not.toBe(sent.deep);
});

test("validation does not change what the model sent", () => {
  const sent = { n: "5", x: null, o: { y: null } };
  const frozen = JSON.stringify(sent);
  check(object({ n: { type: "number" }, x: { type: "string" }, o: object({ y: { type: "string" } }) }), sent);
  expect(JSON.stringify(sent)).toBe(frozen);
});

test("a property named __proto__ is data and nothing else", () => {
  const sent = JSON.parse('{"__proto__":"5","constructor":"6"}') as Args;
  const got = check(object({}, { additionalProperties: { type: "number" } }), sent) as Args;
  expect(Object.entries(got)).toEqual([
    ["__proto__", 5],
    ["constructor", 6],
  ]);
  expect(({} as Args).polluted).toBeUndefined();
  expect(Object.getPrototypeOf(got)).toBe(Object.prototype);
});

test("a schema is compiled once, by identity", () => {
  let reads = 0;
  const schema = new Proxy(object({ a: { type: "number" } }), {
    get: (target, key, receiver) => {
      reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  check(schema, { a: 1 });
  const readsOfFirst = reads;
  expect(readsOfFirst).toBeGreaterThan(0);
  for (let n = 0; n < 10; n += 1) check(schema, { a: 1 });
  expect(reads).toBe(readsOfFirst);
});
