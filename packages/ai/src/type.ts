import type * as typebox from "typebox";

type Builder = typeof typebox.Type;
type Kinds =
  | ("Array" | "Boolean" | "Integer" | "Literal" | "Never" | "Null" | "Number" | "Object" | "Optional")
  | ("Record" | "Ref" | "String" | "Union" | "Unknown" | "Unsafe" | "Void");

type Schema = object;
type Options = object | undefined;

/**
 * The mark with which TypeBox flags an optional property, invisible to JSON. It is the same mark, so the two are
 * interchangeable.
 */
const OPTIONAL = "~optional";

const plain = (keywords: object) => (options?: Options) => ({ ...keywords, ...options });

/**
 * The part of TypeBox's builder that the declarations of every start need: the same types, and the same JSON Schema as
 * values, without 170 KB of library code. TypeBox validators accept the result.
 */
export const Type = {
  Array: (items: Schema, options?: Options) => ({ type: "array", items, ...options }),
  Boolean: plain({ type: "boolean" }),
  Integer: plain({ type: "integer" }),
  Literal: (value: string | number | boolean, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Never: plain({ not: {} }),
  Null: plain({ type: "null" }),
  Number: plain({ type: "number" }),
  Object(properties: Record<string, Schema>, options?: Options) {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] as Schema)));
    return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional(schema: Schema) {
    return Object.defineProperty({ ...schema }, OPTIONAL, { value: true });
  },
  /** Accepts any property name. */
  Record: (_key: Schema, value: Schema, options?: Options) => ({
    type: "object",
    patternProperties: { "^.*$": value },
    ...options,
  }),
  Ref: (name: string, options?: Options) => ({ $ref: name, ...options }),
  String: plain({ type: "string" }),
  Union: (anyOf: readonly Schema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: plain({}),
  Unsafe: (schema: Schema) => ({ ...schema }),
  Void: plain({ type: "void" }),
} as unknown as Pick<Builder, Kinds>;
