import { isRecord } from "@pintle/ai";

/** The single property of the object that wraps an output which is not an object itself. */
const WRAPPER_KEY = "output";
const DEFINITIONS = ["$defs", "definitions"];
const COMBINED = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "enum", "const", "if"];

type Schema = Record<string, unknown>;

/** Providers accept one plain object at the top level, for tool parameters and for response formats. */
export function needsWrapper(schema: Schema): boolean {
  return schema.type !== "object" || COMBINED.some((keyword) => Object.hasOwn(schema, keyword));
}

/**
 * Returns an object schema with the given one as its only property. Definitions move to the top, so references to them
 * stay valid.
 */
export function wrapSchema(schema: Schema): Schema {
  const { $schema: _schema, $id: _id, ...rest } = schema;
  const definitions = Object.fromEntries(
    DEFINITIONS.flatMap((key) => (isRecord(rest[key]) ? [[key, moved(rest[key])]] : [])),
  );
  const inner = Object.fromEntries(Object.entries(rest).filter(([key]) => !DEFINITIONS.includes(key)));
  return {
    type: "object",
    properties: { [WRAPPER_KEY]: moved(inner) },
    required: [WRAPPER_KEY],
    additionalProperties: false,
    ...definitions,
  };
}

/** Returns the content of an object that has only the wrapper's property, or undefined for any other value. */
export function unwrapValue(value: unknown): { value: unknown } | undefined {
  return singleKey(value, [WRAPPER_KEY]);
}

export function singleKey(value: unknown, names: readonly string[]): { value: unknown } | undefined {
  if (!isRecord(value)) return undefined;
  const [key, ...others] = Object.keys(value);
  return key !== undefined && others.length === 0 && names.includes(key) ? { value: value[key] } : undefined;
}

/** Returns the schema with references into the root, except its definitions, redirected through the wrapper. */
function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === "$ref" && typeof item === "string" ? movedReference(item) : moved(item),
    ]),
  );
}

function movedReference(reference: string): string {
  if (reference !== "#" && !reference.startsWith("#/")) return reference;
  const isDefinition = DEFINITIONS.some((key) => reference.startsWith(`#/${key}/`));
  return isDefinition ? reference : `#/properties/${WRAPPER_KEY}${reference.slice(1)}`;
}
