import { isRecord } from "@pintle/ai";

type Keywords = Record<string, unknown>;

export interface Modernized {
  keywords: Keywords;
  /** The original location of what was moved, by its new location: JSON pointers below the schema. */
  origins: ReadonlyMap<string, string>;
}

/** Converts one schema, without those inside it, to draft 2020-12. */
export function modernize(schema: Readonly<Keywords>): Modernized {
  const keywords = { ...schema };
  const origins = new Map<string, string>();
  for (const change of CHANGES) change(keywords, origins);
  return { keywords, origins };
}

export function pointerStep(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

type Change = (keywords: Keywords, origins: Map<string, string>) => void;

const CHANGES: readonly Change[] = [
  dropDialect,
  renameAnchor,
  splitTuple,
  renameDefinitions,
  splitDependencies,
  (keywords) => numberFromFlag(keywords, "exclusiveMinimum", "minimum"),
  (keywords) => numberFromFlag(keywords, "exclusiveMaximum", "maximum"),
  collectRequired,
  allowNull,
];

/** Drops the dialect, which no longer applies and which no provider needs. */
function dropDialect(keywords: Keywords): void {
  delete keywords.$schema;
  delete keywords.$vocabulary;
}

/** Drafts 6 and 7: `$id: "#name"`. */
function renameAnchor(keywords: Keywords): void {
  if (typeof keywords.$id !== "string" || !keywords.$id.startsWith("#")) return;
  keywords.$anchor ??= keywords.$id.slice(1);
  delete keywords.$id;
}

/** Before 2020-12 a list under `items` was a tuple, and `additionalItems` described what follows it. */
function splitTuple(keywords: Keywords, origins: Map<string, string>): void {
  const { items, additionalItems } = keywords;
  if (Array.isArray(items)) {
    delete keywords.items;
    if (keywords.prefixItems === undefined) {
      keywords.prefixItems = items;
      origins.set("/prefixItems", "/items");
      if (additionalItems !== undefined) {
        keywords.items = additionalItems;
        origins.set("/items", "/additionalItems");
      }
    }
  }
  delete keywords.additionalItems; // meaningless without a tuple
}

/** Renames `definitions`, unless a name occurs in both. */
function renameDefinitions(keywords: Keywords, origins: Map<string, string>): void {
  const { definitions } = keywords;
  if (!isRecord(definitions)) {
    delete keywords.definitions;
    return;
  }
  const $defs = isRecord(keywords.$defs) ? keywords.$defs : {};
  const names = Object.keys(definitions);
  if (names.some((name) => Object.hasOwn($defs, name))) return;
  for (const name of names) origins.set(`/$defs${pointerStep(name)}`, `/definitions${pointerStep(name)}`);
  keywords.$defs = { ...$defs, ...definitions };
  delete keywords.definitions;
}

function splitDependencies(keywords: Keywords, origins: Map<string, string>): void {
  const { dependencies } = keywords;
  delete keywords.dependencies;
  if (!isRecord(dependencies)) return;
  const entries = Object.entries(dependencies);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  for (const [name] of schemas)
    origins.set(`/dependentSchemas${pointerStep(name)}`, `/dependencies${pointerStep(name)}`);
  addEntries(keywords, "dependentRequired", names);
  addEntries(keywords, "dependentSchemas", schemas);
}

function addEntries(keywords: Keywords, keyword: string, entries: readonly [string, unknown][]): void {
  if (entries.length === 0) return;
  const known = keywords[keyword];
  keywords[keyword] = { ...Object.fromEntries(entries), ...(isRecord(known) && known) };
}

/** Draft 4: a flag next to the limit. */
function numberFromFlag(keywords: Keywords, exclusive: string, inclusive: string): void {
  if (typeof keywords[exclusive] !== "boolean") return;
  if (keywords[exclusive] && typeof keywords[inclusive] === "number") {
    keywords[exclusive] = keywords[inclusive];
    delete keywords[inclusive];
  } else delete keywords[exclusive];
}

/** Draft 3, and many authors since: `required: true` on the property itself. A single name may be written without a list. */
function collectRequired(keywords: Keywords): void {
  const { required, properties } = keywords;
  const listed: unknown[] = Array.isArray(required) ? required : isRecord(properties) ? [required] : [];
  const marked = isRecord(properties)
    ? Object.keys(properties).filter((name) => {
        const property = properties[name];
        return isRecord(property) && property.required === true;
      })
    : [];
  const names = [...listed.filter((name) => typeof name === "string"), ...marked];
  if (names.length > 0) keywords.required = names;
  else if (!Array.isArray(required)) delete keywords.required;
}

/** OpenAPI 3.0. */
function allowNull(keywords: Keywords): void {
  const { nullable, type, $ref, anyOf, oneOf } = keywords;
  if (typeof nullable !== "boolean") return;
  delete keywords.nullable;
  if (!nullable) return;
  if (typeof type === "string" || Array.isArray(type)) {
    keywords.type = [...new Set([type, "null"].flat())];
    if (Array.isArray(keywords.enum) && !keywords.enum.includes(null)) keywords.enum = [...keywords.enum, null];
  } else if (typeof $ref === "string") {
    delete keywords.$ref;
    keywords.anyOf = [{ $ref }, { type: "null" }];
  } else if (Array.isArray(anyOf)) keywords.anyOf = [...anyOf, { type: "null" }];
  else if (Array.isArray(oneOf)) keywords.oneOf = [...oneOf, { type: "null" }];
}
