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
 * The parameters of a tool as one object without alternatives at the top, which is all that vendors take there. A host's
 * union gets the properties of all its variants; the arguments are checked against the real schema before a tool runs.
 */
export function toObjectSchema(parameters: object): ParameterSchema {
  const whole = resolveTop(parameters as ObjectSchema);
  const { anyOf = [], oneOf = [], allOf = [], enum: _, not: __, ...schema } = whole;
  const variants = [...allOf, ...anyOf, ...oneOf];
  const properties = Object.assign({}, ...variants.map((variant) => variant.properties), schema.properties);
  const required = [...new Set([schema, ...allOf].flatMap((part) => part.required ?? []))];
  return { ...schema, type: "object", properties, ...(required.length > 0 && { required }) };
}

/** Generators that name every type put nothing but a reference at the top. */
function resolveTop({ $ref, ...schema }: ObjectSchema): ObjectSchema {
  const [, keyword, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(`${$ref}`) ?? [];
  const named = keyword && name ? (schema[keyword] as Record<string, ObjectSchema> | undefined)?.[name] : undefined;
  return { ...named, ...schema };
}
