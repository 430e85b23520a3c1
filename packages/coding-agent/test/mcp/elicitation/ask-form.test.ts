import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { askForm } from "../../../src/mcp/elicitation/ask-form.ts";
import { readForm } from "../../../src/mcp/elicitation/form-fields.ts";

const text = fc.string({ maxLength: 6 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const values = fc.uniqueArray(text, { minLength: 1, maxLength: 4 });
const titled = values.chain((list) =>
  fc
    .array(text, { minLength: list.length, maxLength: list.length })
    .map((titles) => list.map((value, i) => ({ const: value, title: titles[i] }))),
);
const small = fc.integer({ min: 0, max: 4 });

const field = fc.oneof(
  fc.record({
    type: fc.constant("string"),
    minLength: optional(small),
    maxLength: optional(small),
    default: optional(text),
  }),
  fc.record({
    type: fc.constantFrom("integer", "number"),
    minimum: optional(fc.integer({ min: -9, max: 9 })),
    maximum: optional(fc.integer({ min: -9, max: 9 })),
    default: optional(fc.integer({ min: -20, max: 20 })),
  }),
  fc.record({ type: fc.constant("boolean"), default: optional(fc.boolean()) }),
  fc.record({
    type: fc.constant("string"),
    enum: values,
    enumNames: optional(fc.array(text)),
    default: optional(text),
  }),
  fc.record({ type: fc.constant("string"), oneOf: titled, default: optional(text) }),
  fc.record({
    type: fc.constant("array"),
    items: values.map((list) => ({ type: "string", enum: list })),
    minItems: optional(small),
    maxItems: optional(small),
    default: optional(fc.array(text, { maxLength: 3 })),
  }),
);
const form = fc
  .record({
    properties: fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), field, { maxKeys: 5 }),
    required: fc.infiniteStream(fc.boolean()),
  })
  .map(({ properties, required }) => {
    const schema = {
      type: "object",
      properties,
      required: Object.keys(properties).filter(() => required.next().value),
    };
    return JSON.parse(JSON.stringify(schema)); // without undefined fields, as received over the wire
  });

/** Simulates a user who usually picks an offered answer and sometimes types something arbitrary. */
type Reply = { kind: "offered"; index: number } | { kind: "own"; text: string } | { kind: "closed" };
const reply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("offered" as const), index: fc.nat(9) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("own" as const),
      text: fc.oneof(text, fc.integer({ min: -9, max: 9 }).map(String)),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "closed" as const }) },
);

function personWith(replies: Iterator<Reply>) {
  let dialogs = 0;
  const answer = (options: readonly string[]) => {
    dialogs += 1;
    const next: Reply = replies.next().value;
    if (next.kind === "closed") return undefined;
    if (next.kind === "own") return next.text;
    return options.length === 0 ? "1" : options[next.index % options.length];
  };
  return {
    count: () => dialogs,
    labels: [] as string[][],
    async select(_: string, options: readonly string[]) {
      this.labels.push([...options]);
      return answer(options);
    },
    input: async () => answer([]),
    confirm: async () => false,
  };
}

describe("a form as dialogs", () => {
  test("always ends, and sends only values that fit the form, whatever the user answers", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(form, fc.infiniteStream(reply), async (schema, replies) => {
        const person = personWith(replies);
        const question = { dialogs: person, heading: "A server", signal: new AbortController().signal };
        const answer = await askForm("Please", readForm(schema), question);
        expect(person.count()).toBeLessThanOrEqual(1 + Object.keys(schema.properties).length * (4 + 3));
        // Each label represents one value.
        for (const labels of person.labels) expect(new Set(labels).size).toBe(labels.length);
        if (answer.action !== "accept") return expect(answer.content).toBeUndefined();
        accepted += 1;
        const { enumNames: _, ...checked } = schema;
        expect({ content: answer.content, isValid: Compile(checked).Check(answer.content) }).toMatchObject({
          isValid: true,
        });
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(20);
  });

  test("uses the default for empty fields, or omits them", async () => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "string", default: "x" },
        b: { type: "number", default: 1.5 },
        c: { type: "string" },
        d: { type: "integer", maximum: 3, default: 7 }, // no default: the form itself would refuse it
        ["__proto__"]: { type: "string", default: "p" },
      },
    };
    const dialogs = {
      select: async (_: string, [first]: readonly string[]) => first,
      input: async () => " ",
      confirm: async () => false,
    };
    const question = { dialogs, heading: "A server", signal: new AbortController().signal };
    const { action, content } = await askForm("Please", readForm(schema), question);
    expect({ action, content: Object.entries(content ?? {}) }).toEqual({
      action: "accept",
      content: [
        ["a", "x"],
        ["b", 1.5],
        ["__proto__", "p"],
      ],
    });
  });

  test("validates formats", async () => {
    const asked: string[] = [];
    const typed = ["nobody", "a@b.example", "2026-02-31", "2026-02-28", "no address", "https://example.com/"];
    const dialogs = {
      select: async (_: string, [first]: readonly string[]) => first,
      async input(title: string) {
        asked.push(title.split("\n").slice(1).join(""));
        return typed.shift();
      },
      confirm: async () => false,
    };
    const properties = { mail: { format: "email" }, day: { format: "date" }, page: { format: "uri" } };
    const typedFields = Object.entries(properties).map(([name, { format }]) => [name, { type: "string", format }]);
    const schema = { type: "object", properties: Object.fromEntries(typedFields), required: ["mail", "day", "page"] };
    const question = { dialogs, heading: "A server", signal: new AbortController().signal };
    expect(await askForm("Please", readForm(schema), question)).toEqual({
      action: "accept",
      content: { mail: "a@b.example", day: "2026-02-28", page: "https://example.com/" },
    });
    expect(asked.filter((note) => note !== "")).toEqual([
      "it must be an e-mail address",
      "it must be a date such as 2026-01-31",
      "it must be an address such as https://example.com",
    ]);
  });

  test("rejects a form that is too long or cannot be answered", () => {
    const many = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`f${index}`, { type: "string" }]));
    expect(() => readForm({ properties: many })).toThrow("a form of more than 30 fields");
    expect(() => readForm({ properties: { a: { type: "string", enum: [] } } })).toThrow("a field without a choice");
    expect(readForm({})).toEqual([]);
  });
});
