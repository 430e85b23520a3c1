import { isRecord, isTooDeep, TOO_DEEP_TEXT } from "@pintle/ai";
import { modernize, pointerStep } from "./older-drafts.ts";
import { type KeywordKind, kindOf } from "./schema-keywords.ts";
import { toUnicodePattern } from "./schema-patterns.ts";
import type { Schema } from "./schema-references.ts";

/**
 * Converts the schema of a tool's arguments to JSON Schema 2020-12, because providers reject a whole request if one tool's schema
 * is anything else. Older syntax is translated. Meaningless parts are dropped, which only weakens the check before a call, and
 * the server checks as well. Returns a string that says why if there is no such schema. Never throws; valid parts stay unchanged.
 */
export function repairSchema(given: unknown): Schema | string {
  if (given === undefined || given === null || isEmptyList(given)) return { type: "object", properties: {} };
  if (!isRecord(given)) return "its schema is not an object";
  if (isTooDeep(given)) return `its schema is ${TOO_DEEP_TEXT}`;
  const repair = new SchemaRepair();
  const schema = repair.schema(given, "", "");
  if (repair.fault !== undefined) return `its schema cannot be used: ${repair.fault}`;
  if (!isRecord(schema)) return "its schema is not an object";
  const types: unknown[] = [schema.type ?? "object"].flat();
  if (!types.includes("object")) return "its schema must describe an object";
  repair.followMoves();
  return { ...schema, type: "object" };
}

/** Some generators write an empty object as an empty list. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

class SchemaRepair {
  fault: string | undefined;
  /** New locations by old location. */
  readonly #moved = new Map<string, string>();
  /** Schemas with a reference into the document. */
  readonly #referring: Record<string, unknown>[] = [];

  schema(value: unknown, from: string, to: string): Schema | boolean {
    if (typeof value === "boolean") return value;
    if (typeof value === "string" && typeNameOf(value) !== undefined) return this.schema({ type: value }, from, to);
    if (!isRecord(value)) return {};
    const { keywords, origins } = modernize(value);
    const fixed: Record<string, unknown> = {};
    for (const [keyword, given] of Object.entries(keywords)) {
      const kind = kindOf(keyword);
      const place = pointerStep(keyword);
      const now = kind ? this.#fix(kind, given, { from, to, place, origins }) : given;
      if (now !== undefined) setOwn(fixed, keyword, now);
    }
    if (typeof fixed.$ref === "string" && fixed.$ref.startsWith("#/")) this.#referring.push(fixed);
    return completed(fixed, keywords);
  }

  #fix(
    kind: KeywordKind,
    value: unknown,
    { from, to, place, origins }: { from: string; to: string; place: string; origins: ReadonlyMap<string, string> },
  ): unknown {
    const at = (below: string): [string, string] => {
      const origin = origins.get(place + below) ?? (origins.get(place) ?? place) + below;
      const [was, is] = [from + origin, to + place + below];
      if (origin !== place + below) this.#moved.set(was, is);
      return [was, is];
    };
    switch (kind) {
      case "schema":
        return isRecord(value) || typeof value === "boolean" ? this.schema(value, ...at("")) : undefined;
      case "schemas":
        if (!Array.isArray(value) || value.length === 0) return undefined;
        return value.map((item, index) => this.schema(item, ...at(`/${index}`)));
      case "namedSchemas":
        if (isEmptyList(value)) return {};
        return mapEntries(value, (name, item) => [name, this.schema(item, ...at(pointerStep(name)))]);
      case "schemasByPattern":
        return mapEntries(value, (name, item) => {
          const pattern = usablePattern(name);
          return pattern === undefined ? undefined : [pattern, this.schema(item, ...at(pointerStep(name)))];
        });
      case "types":
        return this.#types(value, to + place);
      default:
        return PLAIN_VALUES[kind](value);
    }
  }

  #types(value: unknown, place: string): unknown {
    if (typeof value !== "string" && !Array.isArray(value)) return undefined;
    const names = [value].flat().map((name: unknown) => {
      const known = typeof name === "string" ? typeNameOf(name) : undefined;
      if (known === undefined) this.fault ??= `unknown type ${JSON.stringify(name)} at ${place}`;
      return known;
    });
    const unique = [...new Set(names)];
    if (unique.length === 0 || unique.includes(ANY_TYPE)) return undefined;
    return unique.length === 1 ? unique[0] : unique;
  }

  /** Updates references to the new locations. */
  followMoves(): void {
    if (this.#moved.size === 0) return;
    for (const schema of this.#referring) schema.$ref = this.#movedReference(String(schema.$ref));
  }

  #movedReference(reference: string): string {
    const pointer = decoded(reference.slice(1));
    if (pointer === undefined) return reference;
    // The container may have moved as well; the innermost one accounts for all the others.
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
      const to = this.#moved.get(pointer.slice(0, end));
      if (to !== undefined) return `#${encodeURI(to + pointer.slice(end)).replaceAll("#", "%23")}`;
    }
    return reference;
  }
}

/** Applies rules that depend on several keywords. */
function completed(fixed: Record<string, unknown>, given: Readonly<Record<string, unknown>>): Schema {
  // Some providers reject a list without an item type, and some an object without properties at the top level.
  const isArray = [fixed.type].flat().includes("array");
  if (isArray && fixed.items === undefined) fixed.items = {};
  const [was, is] = [given.patternProperties, fixed.patternProperties];
  const isLoose = isRecord(was) && Object.keys(was).length > (isRecord(is) ? Object.keys(is).length : 0);
  // Names that the dropped pattern would have allowed must not be rejected now.
  if (isLoose) for (const keyword of ["additionalProperties", "unevaluatedProperties"]) delete fixed[keyword];
  return fixed;
}

type PlainKind = Exclude<KeywordKind, "schema" | "schemas" | "namedSchemas" | "schemasByPattern" | "types">;

/** Returns undefined to drop the keyword. */
const PLAIN_VALUES: Readonly<Record<PlainKind, (value: unknown) => unknown>> = {
  names: uniqueTexts,
  namesByName: (value) => mapEntries(value, (name, names) => [name, uniqueTexts(names) ?? []]),
  list: (value) => (Array.isArray(value) ? value : undefined),
  values: (value) => (Array.isArray(value) && value.length > 0 ? value : undefined),
  text: (value) => (typeof value === "string" ? value : undefined),
  pattern: (value) => (typeof value === "string" ? usablePattern(value) : undefined),
  anchor: (value) => (typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value) ? value : undefined),
  address: (value) => (typeof value === "string" && /^[^#]*#?$/.test(value) ? value : undefined),
  number: (value) => (typeof value === "number" ? value : undefined),
  positive: (value) => (typeof value === "number" && value > 0 ? value : undefined),
  count: (value) => (typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined),
  flag: (value) => (typeof value === "boolean" ? value : undefined),
};

const ANY_TYPE = "any";
/** Type names of other languages. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "array",
  list: "array",
  tuple: "array",
  set: "array",
  object: "object",
  dict: "object",
  map: "object",
  string: "string",
  str: "string",
  text: "string",
  number: "number",
  float: "number",
  double: "number",
  decimal: "number",
  integer: "integer",
  int: "integer",
  long: "integer",
  boolean: "boolean",
  bool: "boolean",
  null: "null",
  none: "null",
  any: ANY_TYPE,
};

function typeNameOf(name: string): string | undefined {
  const plain = name.toLowerCase();
  return Object.hasOwn(TYPE_NAMES, plain) ? TYPE_NAMES[plain] : undefined;
}

/** Drops patterns of other regular-expression dialects, which only the server understands. */
function usablePattern(pattern: string): string | undefined {
  try {
    return toUnicodePattern(pattern);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function uniqueTexts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? [...new Set(value.filter((item) => typeof item === "string"))] : undefined;
}

function mapEntries(
  value: unknown,
  change: (name: string, item: unknown) => [string, unknown] | undefined,
): Record<string, unknown> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).flatMap(([name, item]) => {
    const changed = change(name, item);
    return changed ? [changed] : [];
  });
  return Object.fromEntries(entries);
}

/** Defines an own property, because assigning to `__proto__` would not. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // a stray % is not part of a name
  }
}
