import { isRecord } from "../../foundation/is-record.ts";
import { toObjectSchema } from "../object-schema.ts";

type Schema = Record<string, unknown>;

/**
 * The subset of JSON Schema that the API documents. Everything else is left out: arguments are validated against the
 * real schema before a tool runs, and one unsupported keyword would make every request with that tool fail.
 */
const ADAPTERS: Record<string, (value: unknown) => unknown> = {
  type: keep,
  format: keep,
  title: keep,
  description: keep,
  minimum: keep,
  maximum: keep,
  minItems: keep,
  maxItems: keep,
  required: keep,
  enum: (value) => (Array.isArray(value) ? nonEmpty(value.filter(isEnumerable)) : undefined),
  items: adapt,
  prefixItems: adaptList,
  anyOf: adaptList,
  oneOf: adaptList,
  properties: adaptMap,
  $defs: adaptMap,
  additionalProperties: (value) => (typeof value === "boolean" ? value : adapt(value)),
};

/** Converts parameters for the field `parametersJsonSchema`. */
export function toGeminiSchema(parameters: object): Schema {
  return adapt(toObjectSchema(parameters));
}

function adapt(value: unknown): Schema {
  if (!isRecord(value)) return {}; // `true` accepts anything
  const { allOf, ...rest } = value;
  if (Array.isArray(allOf)) return adapt(allOf.filter(isRecord).reduce(merge, rest));
  const { $ref, const: constant, definitions, ...schema } = rest;
  // A reference may have no sibling keys.
  if (typeof $ref === "string") return { $ref: $ref.replace(/^#\/definitions\//, "#/$defs/") };
  if (constant !== undefined) Object.assign(schema, toEnum(constant));
  if (definitions !== undefined) schema.$defs ??= definitions;
  return adaptEach(schema, (key, field) => (Object.hasOwn(ADAPTERS, key) ? ADAPTERS[key]?.(field) : undefined));
}

function merge(a: Schema, b: Schema): Schema {
  const properties = { ...(a.properties as object), ...(b.properties as object) };
  const required = [...new Set([a.required, b.required].flat().filter((name) => name !== undefined))];
  return {
    ...b,
    ...a,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** The API has no constants, but lists with one value. */
function toEnum(constant: unknown): Schema {
  const type = constant === null ? "null" : typeof constant;
  return isEnumerable(constant) ? { type, enum: [constant] } : { type };
}

function isEnumerable(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

function adaptList(value: unknown): Schema[] | undefined {
  return Array.isArray(value) ? value.map(adapt) : undefined;
}

function adaptMap(value: unknown): Schema | undefined {
  return isRecord(value) ? adaptEach(value, (_name, schema) => adapt(schema)) : undefined;
}

function adaptEach(record: Schema, change: (key: string, value: unknown) => unknown): Schema {
  const changed = Object.entries(record).map(([key, value]) => [key, change(key, value)] as const);
  return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
}

function keep(value: unknown): unknown {
  return value;
}
