import { isRecord } from "@pintle/ai";

export type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema or a list of them. */
const SUBSCHEMAS = [
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
/** Keywords whose value maps names to schemas. */
const NAMED_SUBSCHEMAS = [
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
];

export interface Subschema {
  keyword: string;
  /** JSON pointer below the schema it is part of. */
  place: string;
  schema: Schema;
}

/**
 * Returns the schemas directly inside one. Property names and the values of `enum`, `default` and similar keywords are not
 * schemas.
 */
export function subschemas(schema: Schema): Subschema[] {
  const found: Subschema[] = [];
  const add = (keyword: string, place: string, value: unknown) => {
    if (isRecord(value)) found.push({ keyword, place, schema: value });
  };
  for (const keyword of SUBSCHEMAS) {
    const value = ownValue(schema, keyword);
    add(keyword, `/${keyword}`, value);
    if (Array.isArray(value)) for (const [index, item] of value.entries()) add(keyword, `/${keyword}/${index}`, item);
  }
  for (const keyword of NAMED_SUBSCHEMAS) {
    const named = ownValue(schema, keyword);
    if (!isRecord(named)) continue;
    for (const [name, value] of Object.entries(named)) add(keyword, `/${keyword}/${name}`, value);
  }
  return found;
}

/** The base address of a schema that has none; relative addresses are resolved against it. */
const NO_ADDRESS = "schema://tool/";

/** Resolves references within one schema document: to its parts by pointer, `$id` and anchor. */
export class SchemaReferences {
  readonly #byAddress = new Map<string, Schema>();
  readonly #baseOf = new Map<Schema, string>();

  constructor(root: Schema) {
    this.#byAddress.set(NO_ADDRESS, root);
    this.#index(root, NO_ADDRESS);
  }

  /**
   * Returns undefined if the reference does not resolve. `from` must be a part of the document or a target found here.
   */
  resolve(reference: string, from: Schema): unknown {
    const base = this.#baseOf.get(from) ?? NO_ADDRESS;
    if (!URL.canParse(reference, base)) return undefined;
    const address = new URL(reference, base);
    const fragment = decode(address.hash.slice(1));
    const documentAddress = withoutHash(address);
    if (!fragment?.startsWith("/")) {
      return this.#byAddress.get(fragment === "" ? documentAddress : `${documentAddress}#${fragment}`);
    }
    const target = valueAt(this.#byAddress.get(documentAddress), fragment);
    // Index a part that no keyword leads to.
    if (isRecord(target) && !this.#baseOf.has(target)) this.#index(target, documentAddress);
    return target;
  }

  #index(schema: Schema, outerBase: string): void {
    const id = ownValue(schema, "$id");
    let base = outerBase;
    if (typeof id === "string" && !id.startsWith("#") && URL.canParse(id, outerBase)) {
      base = withoutHash(new URL(id, outerBase));
      this.#byAddress.set(base, schema);
    }
    this.#baseOf.set(schema, base);
    const plainNames = [ownValue(schema, "$anchor"), ownValue(schema, "$dynamicAnchor")];
    if (typeof id === "string" && id.startsWith("#")) plainNames.push(id.slice(1)); // older drafts spell an anchor like this
    for (const name of plainNames) if (typeof name === "string") this.#byAddress.set(`${base}#${name}`, schema);
    for (const part of subschemas(schema)) this.#index(part.schema, base);
  }
}

export function ownValue(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
}

function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const step of pointer.slice(1).split("/")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = ownValue(value, step.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return value;
}

function withoutHash(address: URL): string {
  address.hash = "";
  return address.href;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined; // a stray % is not part of a name
  }
}
