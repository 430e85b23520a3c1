import { isRecord } from "../foundation/is-record.ts";

type Schema = Record<string, unknown>;

/** Deeper than any useful value: a schema that requires itself has none. */
const MAX_LEVELS = 40;
/** Candidates for patterns, the shortest first. */
const SAMPLES = [
  "",
  "a",
  "A",
  "0",
  "1",
  "a1",
  "aa",
  "a-a",
  "00",
  "a.a",
  "a/a",
  "a@a.aa",
  "2000-01-01",
  "0.0.0",
  "#000000",
];

/** Returns a small value that is valid against a schema, as far as its parts can be satisfied one by one. */
export function smallestValue(schema: unknown): unknown {
  return new ValueMaker(isRecord(schema) ? schema : {}).make(schema, 0);
}

class ValueMaker {
  readonly #root: Schema;

  constructor(root: Schema) {
    this.#root = root;
  }

  make(schema: unknown, level: number): unknown {
    if (!isRecord(schema) || level > MAX_LEVELS) return null;
    const whole = this.#joined(schema, level);
    if ("const" in whole) return whole.const;
    if (Array.isArray(whole.enum)) return shortest(whole.enum);
    const choices = [...listOf(whole.anyOf), ...(whole.anyOf ? [] : listOf(whole.oneOf))];
    if (choices.length > 0) {
      const { anyOf: _any, oneOf: _one, ...rest } = whole;
      return shortest(choices.map((choice) => this.make(merged(rest, this.#joined(choice, level)), level + 1)));
    }
    return shortest(typesOf(whole).map((type) => this.#ofType(type, whole, level)));
  }

  #ofType(type: string, schema: Schema, level: number): unknown {
    if (type === "object") return this.#object(schema, level);
    if (type === "array") return this.#array(schema, level);
    if (type === "string") return text(schema);
    if (type === "boolean") return false;
    return type === "null" ? null : number(schema, type === "integer");
  }

  #object(schema: Schema, level: number): Schema {
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const required = listOf(schema.required).filter((name) => typeof name === "string");
    const wanted = countOf(schema.minProperties);
    const names = new Set([...required, ...Object.keys(properties).slice(0, Math.max(0, wanted - required.length))]);
    for (let more = 0; names.size < wanted; more += 1) names.add(`key${more}`);
    return Object.fromEntries(
      [...names].map((name) => [name, this.make(properties[name] ?? schema.additionalProperties ?? {}, level + 1)]),
    );
  }

  #array(schema: Schema, level: number): unknown[] {
    const first = listOf(schema.prefixItems);
    const count = Math.max(
      countOf(schema.minItems),
      schema.contains === undefined ? 0 : countOf(schema.minContains, 1),
    );
    const item = (index: number) => first[index] ?? schema.contains ?? schema.items ?? {};
    const items = Array.from({ length: count }, (_, index) => this.make(item(index), level + 1));
    return schema.uniqueItems === true ? items.map((value, index) => different(value, index)) : items;
  }

  /** Merges a schema with the ones it refers to and all that must hold at the same time. */
  #joined(schema: unknown, level: number): Schema {
    if (!isRecord(schema) || level > MAX_LEVELS) return {};
    const { $ref, allOf, ...rest } = schema;
    const target = typeof $ref === "string" ? this.#joined(this.#resolve($ref), level + 1) : {};
    return [target, ...listOf(allOf).map((part) => this.#joined(part, level + 1))].reduce(merged, rest);
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith("#/")) return reference === "#" ? this.#root : undefined;
    return reference
      .slice(2)
      .split("/")
      .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (at, step) => (isRecord(at) ? at[step] : Array.isArray(at) ? at[Number(step)] : undefined),
        this.#root,
      );
  }
}

function merged(a: Schema, b: Schema): Schema {
  const properties = { ...(isRecord(b.properties) && b.properties), ...(isRecord(a.properties) && a.properties) };
  const required = [...new Set([...listOf(a.required), ...listOf(b.required)])];
  return {
    ...b,
    ...a,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function typesOf(schema: Schema): string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  if ("properties" in schema || "required" in schema || "minProperties" in schema) return ["object"];
  if ("items" in schema || "prefixItems" in schema || "minItems" in schema || "contains" in schema) return ["array"];
  if ("pattern" in schema || "minLength" in schema) return ["string"];
  return "minimum" in schema || "exclusiveMinimum" in schema || "multipleOf" in schema ? ["number"] : ["null"];
}

function text({ minLength, maxLength, pattern }: Schema): string {
  const length = countOf(minLength);
  const plain = "a".repeat(length);
  if (typeof pattern !== "string") return plain;
  const isRight = (value: string) =>
    matches(pattern, value) &&
    value.length >= length &&
    (maxLength === undefined || value.length <= countOf(maxLength));
  const digits = Array.from({ length: 64 }, (_, count) => ["a", "A", "0"].map((letter) => letter.repeat(count))).flat();
  return [plain, ...SAMPLES, ...digits].find(isRight) ?? plain;
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true; // The schema was validated on input.
  }
}

function number(schema: Schema, isInteger: boolean): number {
  const step = typeof schema.multipleOf === "number" ? schema.multipleOf : isInteger ? 1 : 0;
  const at = (keyword: string) => (typeof schema[keyword] === "number" ? schema[keyword] : undefined);
  const lowest = Math.max(at("minimum") ?? -Infinity, above(at("exclusiveMinimum"), step));
  const highest = Math.min(at("maximum") ?? Infinity, -above(negated(at("exclusiveMaximum")), step));
  if (lowest <= 0 && highest >= 0) return 0;
  if (lowest > 0) return step > 0 ? Math.ceil(lowest / step) * step : lowest;
  return step > 0 ? Math.floor(highest / step) * step : highest;
}

function above(limit: number | undefined, step: number): number {
  if (limit === undefined) return -Infinity;
  return step > 0 ? (Math.floor(limit / step) + 1) * step : limit + 0.5;
}

const negated = (value: number | undefined) => (value === undefined ? undefined : -value);

function different(value: unknown, index: number): unknown {
  if (typeof value === "number") return value + index;
  return typeof value === "string" ? value + "a".repeat(index) : value;
}

function shortest(values: readonly unknown[]): unknown {
  const size = (value: unknown) => JSON.stringify(value)?.length ?? 0;
  return values.reduce((best, value) => (size(value) < size(best) ? value : best), values[0]);
}

function countOf(value: unknown, otherwise = 0): number {
  return typeof value === "number" ? value : otherwise;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
