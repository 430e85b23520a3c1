/** The subset of JSON Schema 2020-12 that the protocol uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema;
  /** Reserved: must be absent. */
  not?: JsonSchema;
  pattern?: string;
  /** The known values of an open set. */
  examples?: unknown[];
  description?: string;
}

/** A schema as TypeBox prints it. */
type BuiltSchema = JsonSchema & { patternProperties?: Record<string, JsonSchema> };

const REFERENCE = "#/$defs/";

export const refTo = (name: string): JsonSchema => ({ $ref: `${REFERENCE}${name}` });
export const refName = (ref: string): string => ref.slice(REFERENCE.length);

/**
 * Turns built schemas into documents with one definition per name: a schema that equals a named one becomes a reference
 * to it, so that each shape is written once however often it is used.
 */
export class Definitions {
  readonly #names = new Map<string, string>();
  readonly #built: Readonly<Record<string, object>>;

  constructor(built: Readonly<Record<string, object>>) {
    this.#built = built;
    for (const [name, schema] of Object.entries(built)) {
      const text = JSON.stringify(schema);
      const other = this.#names.get(text);
      if (other) throw new Error(`${name} and ${other} are the same schema`);
      this.#names.set(text, name);
    }
  }

  all(): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(this.#built).map(([name, schema]) => [name, this.expand(schema)]));
  }

  /** Returns the schema itself, with references below it. */
  expand(schema: object): JsonSchema {
    return this.#rewrite(JSON.parse(JSON.stringify(schema)));
  }

  /** Returns a reference if the schema has a name, otherwise the schema. */
  use(schema: object): JsonSchema {
    const name = this.#names.get(JSON.stringify(schema));
    return name === undefined ? this.expand(schema) : refTo(name);
  }

  #rewrite({ $ref, anyOf, items, properties, patternProperties, ...rest }: BuiltSchema): JsonSchema {
    if ($ref !== undefined) return refTo($ref);
    if (anyOf?.every(isWord)) return { type: "string", enum: anyOf.map((word) => word.const), ...rest };
    const [anyValue] = Object.values(patternProperties ?? {});
    return {
      ...rest,
      ...(anyOf && { anyOf: anyOf.map((option) => this.use(option)) }),
      ...(items && { items: this.use(items) }),
      ...(properties && Object.keys(properties).length > 0 && { properties: this.fields(properties) }),
      ...(anyValue && { additionalProperties: this.use(anyValue) }),
    };
  }

  fields(properties: Readonly<Record<string, object>>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.use(schema)]));
  }
}

const isWord = (schema: JsonSchema) => typeof schema.const === "string";
