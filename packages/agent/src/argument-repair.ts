import { isRecord, isTooDeep } from "@pintle/ai";
import { pathOf, type SchemaError } from "./argument-errors.ts";

type Args = Record<string, unknown>;
type Errors = (value: unknown) => SchemaError[];

const MAX_PASSES = 5;

/** Models send `null` for values they omit, and strings for numbers and lists. Only these mistakes are repaired. */
export function repairArguments(sent: Args, errorsOf: Errors): { args: Args; errors: SchemaError[] } {
  const args = structuredClone(sent);
  let errors = errorsOf(args);
  for (let pass = 0; errors.length > 0 && pass < MAX_PASSES; pass += 1) {
    const isChanged = [dropNulls(args, errors, errorsOf), readStrings(args, errors)].includes(true);
    if (!isChanged) break;
    errors = errorsOf(args);
  }
  return { args, errors };
}

/**
 * Removes refused nulls from objects in which they are optional. The string "null" is a value wherever a string is
 * allowed. Driven by the errors rather than the schema, which may use references, parts or choices.
 */
function dropNulls(args: Args, errors: readonly SchemaError[], errorsOf: Errors): boolean {
  const dropped = new Map<string, { parent: Args; name: string; value: unknown }>();
  for (const error of errors) {
    const place = placeOf(args, error);
    if (!place || Array.isArray(place.parent) || dropped.has(error.instancePath)) continue;
    const value = place.parent[place.name];
    if (value === null || (value === "null" && isStringRefused(error, errors))) {
      dropped.set(error.instancePath, { ...place, value });
    }
  }
  for (const { parent, name } of dropped.values()) delete parent[name];
  if (dropped.size === 0) return false;
  for (const { instancePath, params } of errorsOf(args)) {
    for (const name of params.requiredProperties ?? []) {
      const pointer = `${instancePath}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const required = dropped.get(pointer);
      if (!required) continue;
      required.parent[name] = required.value;
      dropped.delete(pointer);
    }
  }
  return dropped.size > 0;
}

function isStringRefused({ instancePath }: SchemaError, errors: readonly SchemaError[]): boolean {
  return errors
    .filter((other) => other.instancePath === instancePath)
    .every(({ keyword }) => keyword === "type" || keyword === "anyOf" || keyword === "oneOf");
}

/** Parses strings as the type that the schema expects in their place, if they contain it. */
function readStrings(args: Args, errors: readonly SchemaError[]): boolean {
  let isChanged = false;
  for (const error of errors) {
    const place = error.params.type === undefined ? undefined : placeOf(args, error);
    const text = place?.parent[place.name];
    if (!place || typeof text !== "string") continue;
    const value = parseAs(text, [error.params.type ?? []].flat());
    if (value === undefined) continue;
    place.parent[place.name] = value;
    isChanged = true;
  }
  return isChanged;
}

/** Returns the location of the refused value, or undefined if it no longer exists or is the whole. */
function placeOf(args: Args, error: SchemaError): { parent: Args; name: string } | undefined {
  const path = pathOf(error);
  const name = path.pop();
  let parent: unknown = args;
  for (const key of path) parent = isContainer(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (name === undefined || !isContainer(parent) || !Object.hasOwn(parent, name)) return undefined;
  return { parent, name };
}

function isContainer(value: unknown): value is Args {
  return typeof value === "object" && value !== null;
}

function parseAs(text: string, types: readonly string[]): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return types.some((type) => isOfType(value, type)) && !isTooDeep(value) ? value : undefined;
  } catch {
    return undefined; // Not JSON: the string stays and is reported.
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return isRecord(value);
  if (type === "null") return value === null;
  return type !== "string" && typeof value === type;
}
