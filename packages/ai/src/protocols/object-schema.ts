import { isRecord } from "../foundation/is-record.ts";

interface ObjectSchema extends Record<string, unknown> {
  $ref?: unknown;
  properties?: Record<string, unknown>;
  required?: string[];
  anyOf?: ObjectSchema[];
  oneOf?: ObjectSchema[];
  allOf?: ObjectSchema[];
  enum?: unknown;
  not?: unknown;
}

export interface ParameterSchema extends Record<string, unknown> {
  type: "object";
  properties: Record<string, unknown>;
  required?: string[];
}

/**
 * Rewrites the parameters of a tool as one object without alternatives at the top level, which is all that vendors
 * accept there. A host's union gets the properties of all its variants; arguments are validated against the real schema
 * before a tool runs.
 */
export function toObjectSchema(parameters: object): ParameterSchema {
  const known = rewritten.get(parameters);
  if (known) return known;
  const schema = rewrite(parameters);
  rewritten.set(parameters, schema);
  return schema;
}

/** Cached, because every request declares the same tools. Parameters never change; a changed tool has others. */
const rewritten = new WeakMap<object, ParameterSchema>();

function rewrite(parameters: object): ParameterSchema {
  const root = parameters as ObjectSchema;
  const { anyOf, oneOf, allOf, enum: _, not: __, ...schema } = resolved(root, root);
  const room = { variants: MAX_VARIANTS };
  const flat = (variant: ObjectSchema) => flattened(variant, root, MAX_LEVELS, room);
  const everyVariant = listOf(allOf).map(flat);
  const anyVariant = [...listOf(anyOf), ...listOf(oneOf)].map(flat);
  const variants = [...everyVariant, ...anyVariant];
  const properties = Object.assign({}, ...variants.map((variant) => variant.properties), schema.properties);
  const required = [...new Set([schema, ...everyVariant].flatMap((part) => part.required ?? []))];
  return { ...schema, type: "object", properties, ...(required.length > 0 && { required }) };
}

/** A variant may consist of variants; a circular one ends here. */
const MAX_LEVELS = 5;
/**
 * With references, a short schema can have more variants than could be visited. Those beyond the limit add no
 * properties.
 */
const MAX_VARIANTS = 2_000;

function flattened(
  variant: ObjectSchema,
  root: ObjectSchema,
  levels: number,
  room: { variants: number },
): ObjectSchema {
  const schema = resolved(variant, root);
  if (levels === 0) return schema;
  const inside = (list: unknown) => {
    const parts = listOf(list).slice(0, room.variants);
    room.variants -= parts.length;
    return parts.map((part) => flattened(part, root, levels - 1, room));
  };
  const every = inside(schema.allOf);
  const parts = [...every, ...inside(schema.anyOf), ...inside(schema.oneOf)];
  if (parts.length === 0) return schema;
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties),
    required: [schema, ...every].flatMap(({ required }) => required ?? []),
  };
}

function listOf(value: unknown): ObjectSchema[] {
  return Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
}

/** Generators that name every type put only a reference at the top level or in each variant. */
function resolved({ $ref, ...schema }: ObjectSchema, root: ObjectSchema): ObjectSchema {
  const [, keyword, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(`${$ref}`) ?? [];
  const named = keyword && name ? (root[keyword] as Record<string, ObjectSchema> | undefined)?.[name] : undefined;
  return { ...named, ...schema };
}
