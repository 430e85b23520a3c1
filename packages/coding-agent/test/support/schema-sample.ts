import { type JsonSchema, refName } from "@pintle/wire/schemas";

const TEXTS = ["", "AAAA", "image/png"];
const BY_TYPE: Record<string, unknown> = { string: "", number: 0, integer: 0, boolean: false, array: [], null: null };

/** Returns the smallest valid value: required fields only, and the first of several choices. */
export function sampleOf(schema: JsonSchema, $defs: Readonly<Record<string, JsonSchema>>): unknown {
  const { $ref, anyOf, type = "null", properties = {}, required = [], pattern } = schema;
  if ($ref !== undefined) return sampleOf($defs[refName($ref)]!, $defs);
  if (anyOf) return sampleOf(anyOf[0]!, $defs);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (pattern !== undefined) return TEXTS.find((text) => new RegExp(pattern).test(text));
  if (type !== "object") return BY_TYPE[type];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name]!, $defs)]));
}
