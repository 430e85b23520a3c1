// Infers the types of values from the types of their schemas. Structural, so no schema library is needed.

/** A schema from any library that implements Standard Schema, such as Zod, Valibot or ArkType. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Newer versions of these libraries convert their schemas to JSON Schema. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: "draft-2020-12" }) => object };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * The value that a TypeBox schema, a JSON Schema literal or a Standard Schema describes; `unknown` if the type does not
 * determine it.
 */
export type Infer<S> = S extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : FromJsonSchema<S>;

/** The arguments of a tool are always an object. */
export type InferArguments<S> = unknown extends Infer<S> ? Record<string, unknown> : Infer<S>;

type FromJsonSchema<S> = S extends { readonly "~unsafe": infer Value }
  ? Value
  : S extends { readonly static: infer Value } // TypeBox before 1.0
    ? Value
    : S extends { readonly const: infer Value }
      ? Value
      : S extends { readonly enum: readonly (infer Value)[] }
        ? Value
        : S extends { readonly anyOf: readonly (infer Branch)[] }
          ? EachOf<Branch>
          : S extends { readonly oneOf: readonly (infer Branch)[] }
            ? EachOf<Branch>
            : S extends { readonly allOf: infer Branches }
              ? AllOf<Branches>
              : S extends { readonly type: infer Kind }
                ? FromKind<Kind extends readonly (infer Each)[] ? Each : Kind, S>
                : unknown;

type EachOf<Branch> = Branch extends unknown ? FromJsonSchema<Branch> : never;

type AllOf<Branches> = Branches extends readonly [infer First, ...infer Rest]
  ? FromJsonSchema<First> & AllOf<Rest>
  : unknown;

type FromKind<Kind, S> = Kind extends "string"
  ? string
  : Kind extends "number" | "integer"
    ? number
    : Kind extends "boolean"
      ? boolean
      : Kind extends "null"
        ? null
        : Kind extends "array"
          ? FromItems<S>
          : Kind extends "object"
            ? FromProperties<S>
            : unknown;

type FromItems<S> = S extends { readonly prefixItems: infer Items }
  ? EachItem<Items>
  : S extends { readonly items: infer Items }
    ? Items extends readonly unknown[]
      ? EachItem<Items>
      : FromJsonSchema<Items>[]
    : unknown[];

type EachItem<Items> = { -readonly [Index in keyof Items]: FromJsonSchema<Items[Index]> };

type FromProperties<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Name in keyof Properties as IsRequired<S, Properties, Name> extends true
          ? Name
          : never]: FromJsonSchema<Properties[Name]>;
      } & {
        -readonly [Name in keyof Properties as IsRequired<S, Properties, Name> extends true
          ? never
          : Name]?: FromJsonSchema<Properties[Name]>;
      }
    >
  : S extends { readonly patternProperties: { readonly [pattern: string]: infer Value } }
    ? Record<string, FromJsonSchema<Value>>
    : S extends { readonly additionalProperties: infer Value extends object }
      ? Record<string, FromJsonSchema<Value>>
      : Record<string, unknown>;

/** TypeBox marks optional properties; JSON Schema lists the required ones. */
type IsRequired<S, Properties, Name extends keyof Properties> = S extends { readonly "~kind": unknown }
  ? Properties[Name] extends { readonly "~optional": true }
    ? false
    : true
  : S extends { readonly required: readonly (infer Required)[] }
    ? Name extends Required
      ? true
      : false
    : false;

type Flat<T> = { [Name in keyof T]: T[Name] };
