import { isRecord } from "../foundation/is-record.ts";

type Schema = Record<string, unknown>;

/** Keywords that do not affect validity and that strict modes refuse. */
const DROPPED = ["$schema", "$id", "$comment", "default", "examples", "format"];
/** Strict modes do not support these. */
const INEXPRESSIBLE = [
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames",
  "prefixItems",
  "contains",
  "minContains",
  "maxContains",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "$anchor",
  "$dynamicAnchor",
];
/** Limits that Anthropic's format refuses; they become part of the description instead. */
const LIMITS = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
];

class Inexpressible extends Error {}

/**
 * Returns a copy that OpenAI's strict mode accepts: objects are closed, all properties are required, and optional ones
 * may be null. Returns undefined if the mode cannot express the schema.
 */
export function toStrictSchema(schema: object): object | undefined {
  try {
    return strict(schema);
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

function strict(value: unknown): Schema {
  if (!isRecord(value)) throw new Inexpressible(); // `true` accepts anything
  if (INEXPRESSIBLE.some((keyword) => Object.hasOwn(value, keyword))) throw new Inexpressible();
  const { $ref, $defs, definitions } = value;
  const named = {
    ...(isRecord($defs) && { $defs: mapped($defs, strict) }),
    ...(isRecord(definitions) && { definitions: mapped(definitions, strict) }),
  };
  // A schema with a reference may contain nothing else.
  if (typeof $ref === "string") return { $ref, ...named };
  const kept = Object.fromEntries(Object.entries(value).filter(([keyword]) => !DROPPED.includes(keyword)));
  const { oneOf, ...rest } = kept;
  const choices = Array.isArray(kept.anyOf) ? kept.anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  const isTyped = "type" in rest || "enum" in rest || "const" in rest || choices !== undefined;
  if (!isTyped) throw new Inexpressible();
  return {
    ...rest,
    ...named,
    ...(choices && { anyOf: choices.map(strict) }),
    ...(rest.items !== undefined && { items: strict(rest.items) }),
    ...(isObject(rest) && strictObject(rest)),
  };
}

function isObject({ type, properties }: Schema): boolean {
  return properties !== undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

function strictObject({ properties, required, additionalProperties }: Schema): Schema {
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (isOpen || !isRecord(properties)) throw new Inexpressible();
  const wanted = Array.isArray(required) ? required : [];
  return {
    properties: mapped(properties, (property, name) =>
      wanted.includes(name) ? strict(property) : nullable(strict(property)),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function nullable(schema: Schema): Schema {
  const { type, anyOf } = schema;
  const isFree = !("enum" in schema || "const" in schema || "$ref" in schema);
  if (isFree && typeof type === "string") return type === "null" ? schema : { ...schema, type: [type, "null"] };
  if (isFree && Array.isArray(type)) return type.includes("null") ? schema : { ...schema, type: [...type, "null"] };
  if (Array.isArray(anyOf)) {
    const hasNull = anyOf.some((choice) => isRecord(choice) && choice.type === "null");
    return hasNull ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] };
  }
  return { anyOf: [schema, { type: "null" }] };
}

/** Returns a copy that Anthropic's format accepts: objects are closed, and limits are part of the description. */
export function toClosedSchema(schema: object): Schema {
  return closed(schema);
}

function closed(value: unknown): Schema {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).filter(([keyword]) => !DROPPED.includes(keyword) && !LIMITS.includes(keyword));
  const copy = Object.fromEntries(entries.map(([keyword, item]) => [keyword, closedInside(keyword, item)]));
  const limits = LIMITS.flatMap((keyword) =>
    value[keyword] === undefined ? [] : [`${keyword}: ${JSON.stringify(value[keyword])}`],
  );
  const description = [value.description, ...limits].filter((part) => part !== undefined).join("; ");
  return {
    ...copy,
    ...(limits.length > 0 && { description }),
    ...(isObject(value) && { additionalProperties: false }),
  };
}

function closedInside(keyword: string, item: unknown): unknown {
  if (["items", "additionalProperties", "not"].includes(keyword)) return isRecord(item) ? closed(item) : item;
  if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword))
    return Array.isArray(item) ? item.map(closed) : item;
  if (["properties", "$defs", "definitions"].includes(keyword)) return isRecord(item) ? mapped(item, closed) : item;
  return item;
}

function mapped(record: Schema, change: (value: unknown, name: string) => unknown): Schema {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
