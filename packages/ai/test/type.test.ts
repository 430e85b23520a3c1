import { expect, test } from "bun:test";
import fc from "fast-check";
import { Type as TypeBox } from "typebox";
import { Type } from "../src/type.ts";

/** Creates a schema with the given builder. */
type Recipe = (type: typeof Type) => object;

const options = fc.record(
  { description: fc.string(), minimum: fc.integer(), default: fc.jsonValue() },
  { requiredKeys: [] },
);
const noun = (make: (type: typeof Type, options: Record<string, unknown>) => object) =>
  options.map(
    (given): Recipe =>
      (type) =>
        make(type, given),
  );

const { schema } = fc.letrec<{ schema: Recipe }>((tie) => {
  const inner = tie("schema");
  const nested = (make: (type: typeof Type, inner: never, options: Record<string, unknown>) => object) =>
    fc.tuple(inner, options).map(
      ([of, given]): Recipe =>
        (type) =>
          make(type, of(type) as never, given),
    );
  const member = fc.record({ of: inner, isOptional: fc.boolean() });
  return {
    schema: fc.oneof(
      { depthSize: "small" },
      noun((type, given) => type.String(given)),
      noun((type, given) => type.Boolean(given)),
      noun((type, given) => type.Integer(given)),
      noun((type, given) => type.Number(given)),
      noun((type, given) => type.Null(given)),
      noun((type, given) => type.Never(given)),
      noun((type, given) => type.Unknown(given)),
      noun((type, given) => type.Void(given)),
      noun((type, given) => type.Ref("Name", given)),
      fc.constantFrom("text", 7, true).map(
        (value): Recipe =>
          (type) =>
            type.Literal(value),
      ),
      fc.jsonValue().map(
        (value): Recipe =>
          (type) =>
            type.Unsafe({ type: "string", enum: [value] }),
      ),
      nested((type, of, given) => type.Array(of, given)),
      nested((type, of, given) => type.Record(type.String(), of, given)),
      nested((type, of) => type.Unsafe(of)),
      fc.array(inner).map(
        (of): Recipe =>
          (type) =>
            type.Union(of.map((make) => make(type)) as never),
      ),
      fc.tuple(fc.dictionary(fc.string(), member, { noNullPrototype: true }), options).map(
        ([of, given]): Recipe =>
          (type) => {
            const entries = Object.entries(of).map(([name, { of: make, isOptional }]) => [
              name,
              isOptional ? type.Optional(make(type) as never) : make(type),
            ]);
            return type.Object(Object.fromEntries(entries), given);
          },
      ),
    ),
  };
});

test("creates the same JSON Schema as TypeBox", () => {
  fc.assert(
    fc.property(schema, (make) => {
      expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox as typeof Type)));
    }),
    { numRuns: 500 },
  );
});

test("a schema that is optional in one place is required in another", () => {
  const text = Type.String();
  const schema = Type.Object({ may: Type.Optional(text), must: text });
  expect(schema.required).toEqual(["must"]);
});

test("a property that one builder made optional is optional for the other", () => {
  expect(Type.Object({ may: TypeBox.Optional(TypeBox.String()), must: TypeBox.String() }).required).toEqual(["must"]);
  expect(TypeBox.Object({ may: Type.Optional(Type.String()), must: Type.String() }).required).toEqual(["must"]);
});
