import { cutText, isRecord } from "@pintle/ai";
import { plainSpelling } from "./near-names.ts";
import type { Tool } from "./types.ts";

type Args = Record<string, unknown>;

/**
 * The declared name of a parameter, or a function that returns declared parameters. The function also gets all
 * arguments of the call, and returns undefined for a value it does not understand.
 */
export type ParameterAlias = string | ((value: unknown, args: Readonly<Args>) => Args | undefined);

/** What a tool knows about the parameter names that models send. */
export interface ParameterNames {
  /** Names that models know from other tools. Capitals, `_` and `-` are ignored, except in options such as `-A`. */
  aliases?: Readonly<Record<string, ParameterAlias>>;
  /** Passed to the tool although the schema does not declare them. */
  accepted?: readonly string[];
  /** The names inside the objects of a list, by the parameter that contains the list. */
  items?: Readonly<Record<string, ParameterNames>>;
}

/** The part of a schema that names properties. */
interface ObjectSchema {
  properties?: Record<string, ObjectSchema>;
  additionalProperties?: unknown;
  items?: ObjectSchema;
}

/** Returns the arguments as the tool declares them, not yet validated. Always a copy. */
export function prepareArguments(tool: Tool, sent: Args): Args {
  const { parameterNames } = tool;
  const copy = structuredClone(sent);
  if (!parameterNames) return tool.prepareArguments?.(copy) ?? copy;
  const named = renameParameters(copy, parameterNames, tool.parameters);
  const prepared = tool.prepareArguments?.(named) ?? named;
  // Preparation may have turned a string into a list.
  return renameParameters(prepared, parameterNames, tool.parameters);
}

/** Returns the arguments under their declared names. Unknown names stay unchanged. */
export function renameParameters(args: Args, names: ParameterNames, schema: ObjectSchema): Args {
  const result: Args = {};
  const declared = declaredNames(schema);
  const isDeclared = new Set([...declared, ...(names.accepted ?? [])]);
  const others: [string, unknown][] = [];
  for (const [name, value] of Object.entries(args)) {
    if (isDeclared.has(name)) result[name] = value;
    else others.push([name, value]);
  }
  for (const [name, value] of others) {
    const meant = readAlias(name, args, names.aliases ?? {}, declared);
    if (meant && Object.entries(meant).every(([key, one]) => isFree(result, key, one))) Object.assign(result, meant);
    else result[name] = value;
  }
  for (const [name, inner] of Object.entries(names.items ?? {})) {
    const list = result[name];
    if (!Array.isArray(list)) continue;
    const items = schema.properties?.[name]?.items ?? {};
    result[name] = list.map((item) => (isRecord(item) ? renameParameters(item, inner, items) : item));
  }
  return result;
}

function isFree(args: Args, name: string, value: unknown): boolean {
  return args[name] === undefined || args[name] === null || JSON.stringify(args[name]) === JSON.stringify(value);
}

function readAlias(
  name: string,
  args: Readonly<Args>,
  aliases: Readonly<Record<string, ParameterAlias>>,
  declared: readonly string[],
): Args | undefined {
  const value = args[name];
  const plain = plainName(name);
  const own = declared.find((other) => plainName(other) === plain);
  if (own !== undefined) return { [own]: value };
  const key = Object.hasOwn(aliases, name) ? name : Object.keys(aliases).find((other) => plainName(other) === plain);
  const alias = key === undefined ? undefined : aliases[key];
  return typeof alias === "string" ? { [alias]: value } : alias?.(value, args);
}

function plainName(name: string): string {
  return name.startsWith("-") ? name : plainSpelling(name);
}

const MAX_NAMED = 10;
const MAX_NAME_CHARS = 100;

/** Returns the names in a call that its tool does not know; `edits[].foo` for those in the objects of a list. */
export function unknownParameters({ parameters, parameterNames }: Tool, args: Args): string[] {
  return parameterNames ? [...new Set(unknownIn(parameters, parameterNames, args, ""))] : [];
}

function unknownIn(schema: ObjectSchema, names: ParameterNames, args: Args, prefix: string): string[] {
  const { properties, additionalProperties } = schema;
  if (!properties || isRecord(additionalProperties)) return [];
  return Object.entries(args).flatMap(([name, value]) => {
    if (value === undefined || value === null || names.accepted?.includes(name)) return [];
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!inner) return [`${prefix}${cutText(name, MAX_NAME_CHARS)}`];
    const items = inner.items;
    if (!items || !Array.isArray(value)) return [];
    const itemNames = names.items?.[name] ?? {};
    return value.flatMap((item) => (isRecord(item) ? unknownIn(items, itemNames, item, `${prefix}${name}[].`) : []));
  });
}

/** Formats the names that the tool does not know, and the ones it does. */
export function unknownText({ name, parameters }: Tool, unknown: readonly string[]): string {
  const shown = unknown.slice(0, MAX_NAMED).map((one) => JSON.stringify(one));
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : "";
  const verb = unknown.length === 1 ? "is not a parameter" : "are not parameters";
  return `${shown.join(", ")}${more} ${verb} of ${name} (${declaredNames(parameters).join(", ")})`;
}

function declaredNames(schema: ObjectSchema): string[] {
  return Object.keys(schema.properties ?? {});
}
