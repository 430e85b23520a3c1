import { isRecord } from "@pintle/ai";
import { plainLine } from "@pintle/foundation";

/** A problem that makes a definition unusable: guessing could give the agent more than its author meant. */
export class BadField extends Error {}

/** Returns the words of a list, or of a string with commas; undefined if the field is absent. */
export function readList(fields: Readonly<Record<string, unknown>>, key: string): string[] | undefined {
  if (!(key in fields)) return undefined;
  const value = fields[key];
  if (value === null) return [];
  const entries: unknown[] = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [undefined];
  return entries
    .map((entry) => {
      if (typeof entry !== "string")
        throw new BadField(`${key} must be a list of names, or names with commas between them`);
      return plainLine(entry);
    })
    .filter(Boolean);
}

/** Returns the entry of a table that the field names; undefined if the field is absent or empty. */
export function readChoice<T>(
  fields: Readonly<Record<string, unknown>>,
  key: string,
  choices: Readonly<Record<string, T>>,
): T | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && Object.hasOwn(choices, value)) return choices[value];
  throw new BadField(`${key} must be one of ${Object.keys(choices).join(", ")}`);
}

export function readPositive(fields: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw new BadField(`${key} must be a positive whole number`);
}

/** Returns an object, written as YAML or as a string of JSON. */
export function readObject(
  fields: Readonly<Record<string, unknown>>,
  key: string,
): Record<string, unknown> | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  const object = typeof value === "string" ? parseJson(value) : value;
  if (isRecord(object) && !Array.isArray(object)) return object;
  throw new BadField(`${key} must be a JSON Schema`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
