import { isRecord } from "@pintle/ai";
import type { Schema } from "./schema-references.ts";

/** Parameter names that every provider accepts; any other makes some of them reject the whole request. */
const USABLE = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_LENGTH = 64;

export interface RenamedProperties {
  schema: Schema;
  /** The real name by its replacement. */
  realNames: ReadonlyMap<string, string>;
}

/** Returns the schema of a tool's arguments with usable names, or undefined if all names are usable. */
export function renameProperties(schema: Schema): RenamedProperties | undefined {
  const found = namesIn(schema);
  const odd = [...found].filter((name) => !USABLE.test(name));
  if (odd.length === 0) return undefined;
  const taken = new Set([...found].filter((name) => USABLE.test(name)));
  const names = new Map<string, string>();
  for (const name of odd) {
    const usable = freeName(name, taken);
    taken.add(usable);
    names.set(name, usable);
  }
  const realNames = new Map([...names].map(([name, usable]) => [usable, name]));
  return { schema: renamed(schema, names), realNames };
}

/** Returns the arguments under the tool's own names. */
export function withRealNames(
  args: Readonly<Record<string, unknown>>,
  realNames: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [realNames.get(name) ?? name, value]));
}

/** Keywords whose schemas apply to the same object. */
const SAME_OBJECT = ["allOf", "anyOf", "oneOf"];
const SAME_OBJECT_SINGLE = ["if", "then", "else", "not"];

function namesIn(schema: Schema): Set<string> {
  const own = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  return new Set([...own, ...partsOf(schema).flatMap((part) => [...namesIn(part)])]);
}

function partsOf(schema: Schema): Schema[] {
  const lists = SAME_OBJECT.map((keyword) => schema[keyword]).filter((value) => Array.isArray(value));
  const single = SAME_OBJECT_SINGLE.map((keyword) => schema[keyword]);
  const named = isRecord(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : [];
  return [...lists.flat(), ...single, ...named].filter((value) => isRecord(value));
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^a-zA-Z0-9_.-]/g, "_").slice(0, MAX_LENGTH) || "_";
  let usable = plain;
  for (let count = 2; taken.has(usable); count += 1) {
    usable = `${plain.slice(0, MAX_LENGTH - `_${count}`.length)}_${count}`;
  }
  return usable;
}

function renamed(schema: Schema, names: ReadonlyMap<string, string>): Schema {
  const nameOf = (name: unknown) => (typeof name === "string" ? (names.get(name) ?? name) : name);
  const inner = (part: unknown) => (isRecord(part) ? renamed(part, names) : part);
  const keys = (value: unknown, change: (item: unknown) => unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, item]) => [names.get(name) ?? name, change(item)]))
      : value;
  const list = (value: unknown, change: (item: unknown) => unknown) =>
    Array.isArray(value) ? value.map(change) : value;
  const changes = new Map<string, (value: unknown) => unknown>([
    ["properties", (value) => keys(value, (item) => item)],
    ["required", (value) => list(value, nameOf)],
    ["dependentRequired", (value) => keys(value, (item) => list(item, nameOf))],
    ["dependentSchemas", (value) => keys(value, inner)],
  ]);
  for (const keyword of SAME_OBJECT) changes.set(keyword, (value) => list(value, inner));
  for (const keyword of SAME_OBJECT_SINGLE) changes.set(keyword, inner);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      const change = changes.get(keyword);
      return [keyword, change ? change(value) : value];
    }),
  );
}
