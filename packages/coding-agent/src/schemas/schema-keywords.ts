/** The values that JSON Schema 2020-12 requires for each keyword. */
const KEYWORDS_BY_KIND = {
  schema: [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
  ],
  schemas: ["allOf", "anyOf", "oneOf", "prefixItems"],
  namedSchemas: ["$defs", "definitions", "dependentSchemas", "properties"],
  schemasByPattern: ["patternProperties"],
  types: ["type"],
  names: ["required"],
  namesByName: ["dependentRequired"],
  list: ["examples"],
  values: ["enum"],
  text: ["$comment", "$dynamicRef", "$ref", "contentEncoding", "contentMediaType", "description", "format", "title"],
  pattern: ["pattern"],
  anchor: ["$anchor", "$dynamicAnchor"],
  address: ["$id"],
  number: ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"],
  positive: ["multipleOf"],
  count: [
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
  ],
  flag: ["deprecated", "readOnly", "uniqueItems", "writeOnly"],
} satisfies Record<string, readonly string[]>;

export type KeywordKind = keyof typeof KEYWORDS_BY_KIND;

const KINDS = new Map<string, KeywordKind>();
let kind: KeywordKind;
for (kind in KEYWORDS_BY_KIND) for (const keyword of KEYWORDS_BY_KIND[kind]) KINDS.set(keyword, kind);

/** Undefined if the standard does not restrict the value of the keyword. */
export function kindOf(keyword: string): KeywordKind | undefined {
  return KINDS.get(keyword);
}
