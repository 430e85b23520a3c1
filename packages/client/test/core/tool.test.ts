import { expect, test } from "bun:test";
import { Type } from "typebox";
import { z } from "zod";
import { tool } from "../../src/core/index.ts";

const context = { toolCallId: "1", signal: new AbortController().signal, sendUpdate() {} };
const schema = z.object({ path: z.string().min(2) });

test("a tool sends the JSON Schema of its schema", () => {
  const execute = () => "";
  const base = { name: "t", description: "d", execute };
  const literal = { type: "object", properties: { a: { type: "string" } } } as const;
  expect(tool({ ...base, schema: literal }).parameters).toEqual(literal);
  const box = tool({ ...base, schema: Type.Object({ a: Type.String() }) }).parameters;
  expect(JSON.parse(JSON.stringify(box))).toEqual({ ...literal, required: ["a"] });
  expect(tool({ ...base, schema }).parameters).toMatchObject({
    type: "object",
    properties: { path: { type: "string", minLength: 2 } },
    required: ["path"],
  });
  expect(tool(base).parameters).toMatchObject({ type: "object", properties: {} });
});

test("a library that cannot convert its schemas needs `parameters`", () => {
  const old = { "~standard": { version: 1, vendor: "old", validate: (value: unknown) => ({ value }) } } as const;
  const base = { name: "t", description: "d", execute: () => "" };
  expect(() => tool({ ...base, schema: old })).toThrow('tool "t": this version of old');
  const parameters = { type: "object" };
  expect(tool({ ...base, schema: old, parameters }).parameters).toBe(parameters);
});

test("readOnly sets readOnlyHint and must not contradict it", () => {
  const base = { name: "t", description: "d", execute: () => "" };
  expect(tool({ ...base, readOnly: true, annotations: { title: "T" } }).annotations).toEqual({
    readOnlyHint: true,
    title: "T",
  });
  expect(tool(base).annotations).toBeUndefined();
  expect(() => tool({ ...base, readOnly: true, annotations: { readOnlyHint: false } })).toThrow(TypeError);
});

test("execute receives the validated value; a call that does not match fails with the issues", async () => {
  const lengths = tool({
    name: "t",
    description: "d",
    schema: z.object({ path: z.string().transform((path) => path.length) }),
    execute: ({ path }) => String(path),
  });
  expect(await lengths.execute({ path: "abc" }, context)).toBe("3");
  const strict = tool({ name: "t", description: "d", schema, execute: ({ path }) => path });
  expect(async () => strict.execute({ path: "a" }, context)).toThrow(
    /The arguments do not match the schema:\n\/path: /,
  );
});
