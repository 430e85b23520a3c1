import { isRecord } from "@pintle/ai";
import { kindOf } from "./schema-keywords.ts";
import { ownValue, type Schema } from "./schema-references.ts";
import { checkToolSchema } from "./tool-schema.ts";

// Loaded with the first output schema, because it brings in the schema compiler.

const MAX_BYTES = 64 * 1024;
const MAX_LEVELS = 32;

/** Keywords that would affect validation and are rejected, because the validator may interpret them differently. */
const REFUSED: Readonly<Record<string, string>> = {
  $dynamicRef: "is not supported: use $ref",
  $recursiveRef: "is not supported: use $ref",
  additionalItems: "is not supported: use prefixItems and items",
  dependencies: "is not supported: use dependentRequired or dependentSchemas",
};

/** Thrown for a schema against which no output can be checked. */
export class OutputSchemaError extends Error {
  /** JSON pointer into the schema. */
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(`${pointer === "" ? "the schema" : pointer} ${message}`);
    this.pointer = pointer;
  }
}

export interface CheckedOutputSchema {
  /** The schema as the user wrote it. */
  schema: object;
  /** For the validator: without `format`, which is an annotation, and with patterns that it can compile. */
  checked: object;
}

/** Returns the schema if every keyword in it can be enforced. Throws OutputSchemaError. */
export function checkOutputSchema(value: unknown): CheckedOutputSchema {
  if (!isRecord(value)) throw new OutputSchemaError("", "must be an object");
  const levels = depthOf(value, MAX_LEVELS + 1);
  if (levels > MAX_LEVELS) throw new OutputSchemaError("", `must not be nested deeper than ${MAX_LEVELS} levels`);
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > MAX_BYTES)
    throw new OutputSchemaError("", `must not be larger than ${MAX_BYTES} bytes, but has ${bytes}`);
  checkSchema(value, "");
  const checked = withoutFormat(value) as Schema;
  try {
    return { schema: value, checked: checkToolSchema(checked) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new OutputSchemaError(pointerIn(error.message), `cannot be used: ${error.message}`);
  }
}

/** Compiler errors end with the location. */
function pointerIn(message: string): string {
  return / at (\/\S*)/.exec(message)?.[1]?.replace(/:$/, "") ?? "";
}

function depthOf(value: unknown, limit: number): number {
  if (limit === 0 || typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item, limit - 1));
  return deepest + 1;
}

type ValueCheck = (value: unknown, place: string) => void;

function checkSchema(value: unknown, place: string): void {
  if (typeof value === "boolean") return;
  if (!isRecord(value)) throw new OutputSchemaError(place, "must be a schema: an object, true or false");
  for (const [keyword, item] of Object.entries(value)) {
    const at = `${place}/${keyword.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const refusal = ownValue(REFUSED, keyword);
    if (typeof refusal === "string") throw new OutputSchemaError(at, refusal);
    if (keyword === "$ref") checkReference(item, at);
    const kind = kindOf(keyword);
    if (kind) CHECKS[kind](item, at);
  }
}

/** Accepts only references within the same document: nothing is fetched. */
function checkReference(value: unknown, place: string): void {
  if (typeof value !== "string" || !value.startsWith("#")) {
    throw new OutputSchemaError(place, "must be a reference into the same schema, such as #/$defs/name");
  }
}

function requires(isRight: (value: unknown) => boolean, what: string): ValueCheck {
  return (value, place) => {
    if (!isRight(value)) throw new OutputSchemaError(place, `must be ${what}`);
  };
}

const isText = (value: unknown) => typeof value === "string";
const isNames = (value: unknown) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isCount = (value: unknown) => typeof value === "number" && Number.isInteger(value) && value >= 0;
const TYPES = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const isType = (value: unknown) => typeof value === "string" && TYPES.has(value);

const checkList: ValueCheck = (value, place) => {
  if (!Array.isArray(value) || value.length === 0) throw new OutputSchemaError(place, "must be a list of schemas");
  for (const [index, item] of value.entries()) checkSchema(item, `${place}/${index}`);
};
const checkNamed: ValueCheck = (value, place) => {
  if (!isRecord(value)) throw new OutputSchemaError(place, "must be an object with a schema under each name");
  for (const [name, item] of Object.entries(value)) {
    checkSchema(item, `${place}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
};

/** What JSON Schema 2020-12 requires of each keyword's value. */
const CHECKS: Record<NonNullable<ReturnType<typeof kindOf>>, ValueCheck> = {
  schema: checkSchema,
  schemas: checkList,
  namedSchemas: checkNamed,
  schemasByPattern: checkNamed,
  types: requires(
    (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    "the name of a JSON type, or a list of them",
  ),
  names: requires(isNames, "a list of different strings"),
  namesByName: requires(
    (value) => isRecord(value) && Object.values(value).every(isNames),
    "an object with a list of strings under each name",
  ),
  list: requires(Array.isArray, "a list"),
  values: requires((value) => Array.isArray(value) && value.length > 0, "a list of at least one value"),
  text: requires(isText, "a string"),
  pattern: requires(isText, "a string"),
  anchor: requires(isText, "a string"),
  address: requires(isText, "a string"),
  number: requires(Number.isFinite, "a number"),
  positive: requires((value) => typeof value === "number" && value > 0, "a number above 0"),
  count: requires(isCount, "an integer that is not negative"),
  flag: requires((value) => typeof value === "boolean", "true or false"),
};

const SCHEMA_KINDS = new Set(["schema", "schemas"]);
const NAMED_KINDS = new Set(["namedSchemas", "schemasByPattern"]);

/** Returns the schema without `format`, which the validator would enforce although JSON Schema defines it as an annotation. */
function withoutFormat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormat);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([keyword]) => keyword !== "format");
  return Object.fromEntries(
    kept.map(([keyword, item]) => {
      const kind = kindOf(keyword) ?? "";
      if (SCHEMA_KINDS.has(kind)) return [keyword, withoutFormat(item)];
      if (!NAMED_KINDS.has(kind) || !isRecord(item)) return [keyword, item];
      return [keyword, Object.fromEntries(Object.entries(item).map(([name, part]) => [name, withoutFormat(part)]))];
    }),
  );
}
