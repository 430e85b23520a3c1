import { errorText } from "../errors.ts";
import type { StandardIssue, StandardSchema } from "./infer.ts";

/** A violation in the engine's own format: the JSON pointer of the value and what is expected there. */
export interface SchemaViolation {
  path: string;
  message: string;
}

export type Validated = { value: unknown } | { violations: SchemaViolation[] };

/** Returns the JSON Schema to send to the server. `what` names the schema in the error if there is none. */
export function toJsonSchema(schema: unknown, what: string): object {
  const standard = standardOf(schema);
  if (!standard) {
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return schema;
    throw new TypeError(`${what} must be a JSON Schema, a TypeBox schema or a Standard Schema, not ${shown(schema)}`);
  }
  if (!standard.jsonSchema) {
    throw new TypeError(
      `${what}: this version of ${standard.vendor} does not convert its schemas to JSON Schema (~standard.jsonSchema). Update it, or pass the JSON Schema yourself`,
    );
  }
  try {
    return standard.jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    throw new TypeError(`${what} cannot be converted to JSON Schema: ${errorText(error)}`, { cause: error });
  }
}

function shown(value: unknown): string {
  const text = typeof value === "function" ? "a function" : JSON.stringify(value);
  return text === undefined ? String(value) : text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Validates a value with a Standard Schema, which may transform it. The server checks values of other schemas. */
export async function validated(schema: unknown, value: unknown): Promise<Validated> {
  const standard = standardOf(schema);
  if (!standard) return { value };
  const result = await standard.validate(value);
  return result.issues ? { violations: result.issues.map(toViolation) } : { value: result.value };
}

export function violationText(violations: readonly SchemaViolation[]): string {
  return violations.map(({ path, message }) => `${path === "" ? "/" : path}: ${message}`).join("\n");
}

function standardOf(schema: unknown): StandardSchema["~standard"] | undefined {
  // ArkType schemas are functions.
  const isPossible = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return isPossible ? (schema as Partial<StandardSchema>)["~standard"] : undefined;
}

function toViolation({ message, path = [] }: StandardIssue): SchemaViolation {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return { path: keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""), message };
}
