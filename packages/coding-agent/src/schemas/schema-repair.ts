import { isRecord, isTooDeep, TOO_DEEP_TEXT } from "@pintle/ai";
import { modernize, pointerStep } from "./older-drafts.ts";
import { type KeywordKind, kindOf } from "./schema-keywords.ts";
import { toUnicodePattern } from "./schema-patterns.ts";
import type { Schema } from "./schema-references.ts";

/**
 * The schema of a tool's arguments as JSON Schema 2020-12 has it: providers refuse a whole request for one tool whose schema
 * is not that. Older spellings are translated; what means nothing is left out, which only makes the check before a call
 * weaker, and the server checks as well. A text says why there is no such schema. Never throws; what is right stays as it is.
 */
export function repairSchema(given: unknown): Schema | string {
  if (given === undefined || given === null || isEmptyList(given)) return { type: "object", properties: {} };
  if (!isRecord(given)) return "its schema is no object";
  if (isTooDeep(given)) return `its schema is ${TOO_DEEP_TEXT}`;
  const repair = new SchemaRepair();
  const schema = repair.schema(given, "", "");
  if (repair.fault !== undefined) return `its schema cannot be used: ${repair.fault}`;
  if (!isRecord(schema)) return "its schema is no object";
  const types: unknown[] = [schema.type ?? "object"].flat();
  if (!types.includes("object")) return "its schema must describe an object";
  repair.followMoves();
  return { ...schema, type: "object" };
}

/** How some generators write an empty object. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

class SchemaRepair {
  fault: string | undefined;
  /** Where things stand now, by where they stood. */
  readonly #moved = new Map<string, string>();
  /** Those with a reference into the document. */
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

  /** References lead to where things stand now. */
  followMoves(): void {
    if (this.#moved.size === 0) return;
    for (const schema of this.#referring) schema.$ref = this.#movedReference(String(schema.$ref));
  }

  #movedReference(reference: string): string {
    const pointer = decoded(reference.slice(1));
    if (pointer === undefined) return reference;
    // What contains it may have moved as well; the innermost knows of all the others.
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
      const to = this.#moved.get(pointer.slice(0, end));
      if (to !== undefined) return `#${encodeURI(to + pointer.slice(end)).replaceAll("#", "%23")}`;
    }
    return reference;
  }
}

/** What only several keywords together decide. */
function completed(fixed: Record<string, unknown>, given: Readonly<Record<string, unknown>>): Schema {
  // Some providers refuse a list that does not say of what, and some an object without properties at the top.
  const isArray = [fixed.type].flat().includes("array");
  if (isArray && fixed.items === undefined) fixed.items = {};
  const [was, is] = [given.patternProperties, fixed.patternProperties];
  const isLoose = isRecord(was) && Object.keys(was).length > (isRecord(is) ? Object.keys(is).length : 0);
  // The names that the lost pattern would have allowed are not to be refused now.
  if (isLoose) for (const keyword of ["additionalProperties", "unevaluatedProperties"]) delete fixed[keyword];
  return fixed;
}

type PlainKind = Exclude<KeywordKind, "schema" | "schemas" | "namedSchemas" | "schemasByPattern" | "types">;

/** undefined: the keyword is left out. */
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
/** As other languages call them. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  ...{ array: "array", list: "array", tuple: "array", set: "array" },
  ...{ object: "object", dict: "object", map: "object" },
  ...{ string: "string", str: "string", text: "string" },
  ...{ number: "number", float: "number", double: "number", decimal: "number" },
  ...{ integer: "integer", int: "integer", long: "integer" },
  ...{ boolean: "boolean", bool: "boolean" },
  ...{ null: "null", none: "null" },
  any: ANY_TYPE,
};

function typeNameOf(name: string): string | undefined {
  const plain = name.toLowerCase();
  return Object.hasOwn(TYPE_NAMES, plain) ? TYPE_NAMES[plain] : undefined;
}

/** Patterns of other languages are left out: the server knows what it means by them. */
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

/** An assignment to `__proto__` would be none. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // a stray % is part of no name
  }
}
