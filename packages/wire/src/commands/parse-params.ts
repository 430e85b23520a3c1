import { isRecord } from "@pintle/ai";
import type { TSchema } from "typebox";
import type { CommandRow } from "./row.ts";

// The schemas of the command table are JSON Schema and use only these few kinds. Checking them here keeps the schema
// library's validator (2 ms) out of the path to the first response.

/** The supported keywords. */
export interface FieldSchema {
  /** A reference to a named type: the handler checks it. */
  $ref?: string;
  type?: string;
  const?: string | boolean;
  anyOf?: FieldSchema[];
  items?: FieldSchema;
  properties?: Record<string, FieldSchema>;
  /** For a record: one pattern, which matches every name. */
  patternProperties?: Record<string, FieldSchema>;
  required?: string[];
  pattern?: string;
  /** An empty schema here means that no value is allowed. */
  not?: object;
  description?: string;
}

/** A field of a request does not match its declaration. */
export class FieldError extends Error {
  constructor(field: string, mustBe: string) {
    super(`${field} must be ${mustBe}`);
  }
}

/** What every frame of a host has in addition to its own fields. */
const ENVELOPE: ReadonlySet<string> = new Set(["type", "id"]);

/**
 * Returns the fields that a command knows, checked; other fields are left out, and their names are added to `unknown`.
 * Throws FieldError.
 */
export function parseParams(
  row: CommandRow,
  fields: Record<string, unknown>,
  unknown: string[] = [],
): Record<string, unknown> {
  const params = parseObject(row.params() as FieldSchema, fields, "", unknown);
  const fault = row.check?.(params);
  if (fault) throw new FieldError(fault.field, fault.mustBe);
  return params;
}

/** Returns the names of the fields that a command knows. */
export function fieldNames(row: CommandRow): string[] {
  return Object.keys((row.params() as FieldSchema).properties ?? {});
}

/** Kinds of schema the table may use. */
const PARSERS: Record<string, (schema: FieldSchema, value: unknown, field: string, unknown: string[]) => unknown> = {
  string: parseString,
  boolean: parseBoolean,
  integer: parseInteger,
  number: parseNumber,
  array: parseArray,
  object: parseObject,
};

export function isParsable(schema: TSchema): boolean {
  const { $ref, type = "", anyOf, items, not, properties = {}, patternProperties = {} } = schema as FieldSchema;
  if (not || $ref !== undefined || isUnknown(schema as FieldSchema)) return true;
  const inner = [...Object.values(properties), ...Object.values(patternProperties), ...(items ? [items] : [])];
  return anyOf ? anyOf.every((option) => option.const !== undefined) : type in PARSERS && inner.every(isParsable);
}

/** Any value is accepted: the handler checks it. */
const isUnknown = ({ type, anyOf, not }: FieldSchema) => type === undefined && !anyOf && !not;

function parseField(schema: FieldSchema, value: unknown, field: string, unknown: string[]): unknown {
  if (schema.$ref !== undefined || isUnknown(schema)) return value;
  if (schema.not) throw new FieldError(field, "left out");
  const parse = schema.anyOf ? parseChoice : PARSERS[schema.type ?? ""];
  if (!parse) throw new Error(`the command table uses a schema that cannot be checked: ${JSON.stringify(schema)}`);
  return parse(schema, value, field, unknown);
}

export function parseObject(
  schema: FieldSchema,
  value: unknown,
  field: string,
  unknown: string[],
): Record<string, unknown> {
  if (!isRecord(value)) throw new FieldError(field, "an object");
  const [ofEveryName] = Object.values(schema.patternProperties ?? {});
  if (ofEveryName) return parseRecord(ofEveryName, value, field, unknown);
  const parsed: Record<string, unknown> = {};
  for (const [name, fieldSchema] of Object.entries(schema.properties ?? {})) {
    const given = value[name];
    const isOptional = !schema.required?.includes(name);
    if (isOptional && (given === undefined || given === null)) continue; // some clients send null for unset
    parsed[name] = parseField(fieldSchema, given, pathOf(field, name), unknown);
  }
  for (const name of Object.keys(value))
    if (isUnknownField(schema, value, field, name)) unknown.push(pathOf(field, name));
  return parsed;
}

const pathOf = (field: string, name: string) => (field === "" ? name : `${field}.${name}`);

/** Null is treated as absent, whatever the field's name. */
function isUnknownField({ properties = {} }: FieldSchema, value: Record<string, unknown>, field: string, name: string) {
  if (Object.hasOwn(properties, name) || (field === "" && ENVELOPE.has(name))) return false;
  return value[name] !== null && value[name] !== undefined;
}

/** From entries: `__proto__` must become a name like any other. */
function parseRecord(
  schema: FieldSchema,
  value: Record<string, unknown>,
  field: string,
  unknown: string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, parseField(schema, item, `${field}.${name}`, unknown)]),
  );
}

function parseArray(schema: FieldSchema, value: unknown, field: string, unknown: string[]): unknown[] {
  if (!Array.isArray(value)) throw new FieldError(field, "an array");
  return value.map((item, index) =>
    schema.items ? parseField(schema.items, item, `${field}[${index}]`, unknown) : item,
  );
}

function parseString(schema: FieldSchema, value: unknown, field: string): string {
  const isRight =
    typeof value === "string" &&
    (schema.const === undefined || value === schema.const) &&
    (schema.pattern === undefined || new RegExp(schema.pattern).test(value));
  if (isRight) return value;
  if (schema.const !== undefined) throw new FieldError(field, `"${schema.const}"`);
  throw new FieldError(field, (schema.pattern && schema.description) ?? "a string");
}

function parseBoolean(schema: FieldSchema, value: unknown, field: string): boolean {
  if (typeof value !== "boolean") throw new FieldError(field, "a boolean");
  if (schema.const !== undefined && value !== schema.const) throw new FieldError(field, String(schema.const));
  return value;
}

function parseInteger(_schema: FieldSchema, value: unknown, field: string): number {
  if (!Number.isInteger(value)) throw new FieldError(field, "an integer");
  return value as number;
}

function parseNumber(_schema: FieldSchema, value: unknown, field: string): number {
  if (!Number.isFinite(value)) throw new FieldError(field, "a number");
  return value as number;
}

function parseChoice({ anyOf = [] }: FieldSchema, value: unknown, field: string): unknown {
  if (anyOf.some((option) => option.const === value)) return value;
  throw new FieldError(field, `one of ${anyOf.map((option) => option.const).join(", ")}`);
}
