import { isRecord, isTooDeep, TOO_DEEP_TEXT } from "@pintle/ai";
import { Compile } from "typebox/schema";
import { toUnicodePattern } from "./schema-patterns.ts";
import { ownValue, type Schema, SchemaReferences, subschemas } from "./schema-references.ts";

// Loaded with the first host tools, because the schema compiler is slow to load.

const TYPE_NAMES = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const REFERENCES = ["$ref", "$dynamicRef"];
/** Keywords whose schemas apply to the same value: a cycle of these never ends. */
const SAME_VALUE = new Set([
  "allOf",
  "anyOf",
  "dependencies",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "oneOf",
  "then",
  ...REFERENCES,
]);

/**
 * Returns the schema in a form that the validator can use: itself, or a copy with rewritten patterns. Throws an Error that says
 * why if there is none. The compiler alone would let an unknown type accept everything and an unresolved reference reject
 * everything.
 */
export function checkToolSchema(schema: Schema): Schema {
  if (isTooDeep(schema)) throw new Error(`it is ${TOO_DEEP_TEXT}`);
  const { respelled, sameValue } = inspect(schema);
  refuseEndlessReferences(sameValue);
  const usable = respelled.size > 0 ? (copyWith(respelled, schema) as Schema) : schema;
  Compile(usable as never);
  return usable;
}

interface Inspection {
  /** Keywords to replace, by their schema. */
  respelled: Map<Schema, Schema>;
  /** For each schema, those that apply to the same value. */
  sameValue: Map<Schema, Schema[]>;
}

/** Visits every part of the schema once, including parts that only a reference leads to. */
function inspect(root: Schema): Inspection {
  const references = new SchemaReferences(root);
  const respelled: Inspection["respelled"] = new Map();
  const sameValue: Inspection["sameValue"] = new Map();
  const visit = (schema: Schema, place: string) => {
    if (sameValue.has(schema)) return;
    const next: Schema[] = [];
    sameValue.set(schema, next);
    checkTypes(schema, place);
    const patterns = respellPatterns(schema, place);
    if (patterns) respelled.set(schema, patterns);
    const parts = subschemas(schema);
    for (const keyword of REFERENCES) {
      const target = followReference(references, schema, keyword, place);
      if (isRecord(target)) parts.push({ keyword, place: `/${keyword}`, schema: target });
    }
    for (const part of parts) {
      if (SAME_VALUE.has(part.keyword)) next.push(part.schema);
      visit(part.schema, place + part.place);
    }
  };
  visit(root, "");
  return { respelled, sameValue };
}

function checkTypes(schema: Schema, place: string): void {
  const type = ownValue(schema, "type");
  if (type === undefined) return;
  const names: unknown[] = Array.isArray(type) ? type : [type];
  const unknown = names.length === 0 ? type : names.find((name) => typeof name !== "string" || !TYPE_NAMES.has(name));
  if (unknown !== undefined) throw new Error(`unknown type ${JSON.stringify(unknown)} at ${place}/type`);
}

function followReference(references: SchemaReferences, schema: Schema, keyword: string, place: string): unknown {
  const reference = ownValue(schema, keyword);
  if (reference === undefined) return undefined;
  const target = typeof reference === "string" ? references.resolve(reference, schema) : undefined;
  if (isRecord(target) || typeof target === "boolean") return target;
  throw new Error(`unresolvable ${keyword} ${JSON.stringify(reference)} at ${place}/${keyword}`);
}

/** Returns the keywords with patterns that must be rewritten. */
function respellPatterns(schema: Schema, place: string): Schema | undefined {
  const changed: Record<string, unknown> = {};
  const pattern = ownValue(schema, "pattern");
  if (typeof pattern === "string") {
    const spelled = respell(pattern, `${place}/pattern`);
    if (spelled !== pattern) changed.pattern = spelled;
  }
  const byPattern = ownValue(schema, "patternProperties");
  if (isRecord(byPattern)) {
    const names = Object.keys(byPattern).map((name) => [name, respell(name, `${place}/patternProperties`)] as const);
    const isChanged = names.some(([name, spelled]) => name !== spelled);
    if (isChanged) {
      changed.patternProperties = Object.fromEntries(names.map(([name, spelled]) => [spelled, byPattern[name]]));
    }
  }
  return Object.keys(changed).length > 0 ? changed : undefined;
}

function respell(pattern: string, place: string): string {
  try {
    return toUnicodePattern(pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`bad pattern ${JSON.stringify(pattern)} at ${place}: ${error.message}`);
  }
}

/** Rejects a schema that leads back to itself without descending into the value, which would recurse forever. */
function refuseEndlessReferences(sameValue: Inspection["sameValue"]): void {
  const states = new Map<Schema, "open" | "done">();
  const visit = (schema: Schema) => {
    const state = states.get(schema);
    if (state === "open") throw new Error("a $ref leads back to itself");
    if (state === "done") return;
    states.set(schema, "open");
    for (const next of sameValue.get(schema) ?? []) visit(next);
    states.set(schema, "done");
  };
  for (const schema of sameValue.keys()) visit(schema);
}

function copyWith(respelled: Inspection["respelled"], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => copyWith(respelled, item));
  if (!isRecord(value)) return value;
  const source = { ...value, ...respelled.get(value) };
  return Object.fromEntries(Object.entries(source).map(([key, item]) => [key, copyWith(respelled, item)]));
}
