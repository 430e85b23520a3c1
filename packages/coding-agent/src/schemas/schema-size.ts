import { cutText, isRecord } from "@pintle/ai";
import { kindOf } from "./schema-keywords.ts";
import type { Schema } from "./schema-references.ts";

/** Removes first what the model needs least, then the deepest levels. */
const STEPS: readonly ((schema: Schema) => Schema)[] = [
  (schema) => withoutKeywords(schema, new Set(["$comment", "default", "examples", "title"])),
  (schema) => withDescriptions(schema, 200),
  (schema) => withDescriptions(schema, 0),
  ...[4, 3, 2, 1].map((levels) => (schema: Schema) => withLevels(schema, levels)),
];

/**
 * Returns the schema in at most this many characters of JSON, with as much detail as fits, or undefined if not even the names of
 * its properties fit. Only the server checks what was removed.
 */
export function fitSchema(schema: Schema, maxLength: number): Schema | undefined {
  let fitting = schema;
  const fits = () => JSON.stringify(fitting).length <= maxLength;
  for (const step of STEPS) {
    if (fits()) return fitting;
    fitting = step(fitting);
  }
  return fits() ? fitting : undefined;
}

type Change = (keyword: string, value: unknown) => unknown;

function withoutKeywords(schema: Schema, dropped: ReadonlySet<string>): Schema {
  return mapKeywords(schema, (keyword, value) => (dropped.has(keyword) ? undefined : value));
}

function withDescriptions(schema: Schema, maxLength: number): Schema {
  return mapKeywords(schema, (keyword, value) => {
    if (keyword !== "description" || typeof value !== "string") return value;
    return maxLength === 0 ? undefined : cutText(value, maxLength);
  });
}

/** Changes the keywords of every schema in the document; undefined removes a keyword. */
function mapKeywords(schema: Schema, change: Change): Schema {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    const changed = change(keyword, value);
    return changed === undefined ? [] : [[keyword, mapInside(keyword, changed, (inner) => mapKeywords(inner, change))]];
  });
  return Object.fromEntries(entries);
}

/**
 * Allows anything below this many levels. Nothing may be rejected because of that, so keywords that depend on the missing part
 * are removed as well.
 */
function withLevels(schema: Schema, levels: number): Schema {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (JUDGING_BY_PARTS.has(keyword)) return [];
    if (kindOf(keyword) === undefined && keyword !== "const") return [];
    if (levels > 1 || keyword === "properties") {
      return [[keyword, mapInside(keyword, value, (inner) => (levels > 1 ? withLevels(inner, levels - 1) : {}))]];
    }
    return KEPT_FLAT.has(keyword) ? [[keyword, value]] : [];
  });
  return Object.fromEntries(entries);
}

const JUDGING_BY_PARTS = new Set([
  "$anchor",
  "$defs",
  "$dynamicAnchor",
  "$dynamicRef",
  "$id",
  "$ref",
  "definitions",
  "contains",
  "else",
  "if",
  "maxContains",
  "minContains",
  "not",
  "oneOf",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const KEPT_FLAT = new Set(["description", "required", "type"]);

function mapInside(keyword: string, value: unknown, change: (schema: Schema) => Schema): unknown {
  const inner = (item: unknown) => (isRecord(item) ? change(item) : item);
  switch (kindOf(keyword)) {
    case "schema":
      return inner(value);
    case "schemas":
      return Array.isArray(value) ? value.map(inner) : value;
    case "namedSchemas":
    case "schemasByPattern":
      if (!isRecord(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inner(item)]));
    default:
      return value;
  }
}
