import { isRecord } from "@pintle/ai";

/** An argument that is repeated in a header, so that proxies can route by it. */
export interface ParameterHeader {
  name: string;
  path: readonly string[];
}

const MARK = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PLAIN_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** Returns the headers of one call. Missing arguments have no header. */
export function parameterHeaders(
  declared: readonly ParameterHeader[],
  args: Record<string, unknown>,
): Record<string, string> {
  return Object.fromEntries(
    declared.flatMap(({ name, path }) => {
      const value = path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), args);
      const text = headerText(value);
      return text === undefined ? [] : [[`Mcp-Param-${name}`, text]];
    }),
  );
}

/**
 * Returns the arguments that a server's schema marks, read from the schema as the server wrote it, because models may receive
 * it in another form. A mark is valid on a string, integer or boolean that is reached through `properties` alone. Returns a
 * string that says what is wrong if a mark is invalid; such a tool must not be called.
 */
export function readParameterHeaders(schema: unknown): ParameterHeader[] | string {
  const found: ParameterHeader[] = [];
  const places: { node: unknown; path: readonly string[] | undefined }[] = [{ node: schema, path: [] }];
  for (let place = places.pop(); place; place = places.pop()) {
    const { node, path } = place;
    // Adds them one at a time, because there may be more than a function call can take as arguments.
    if (Array.isArray(node)) for (const item of node) places.push({ node: item, path: undefined });
    if (!isRecord(node)) continue;
    if (Object.hasOwn(node, MARK)) {
      const name = node[MARK];
      if (!path || path.length === 0) return `${MARK} is used where there is no argument`;
      if (typeof name !== "string" || !TOKEN.test(name))
        return `${MARK} of "${path.join(".")}" is not a valid header name`;
      if (!TYPES.has(node.type))
        return `${MARK} of "${path.join(".")}" is allowed only on a string, integer or boolean`;
      if (found.some((other) => other.name.toLowerCase() === name.toLowerCase()))
        return `${MARK} ${name} is used twice`;
      found.push({ name, path });
    }
    for (const [key, value] of Object.entries(node)) {
      if (DATA.has(key)) continue;
      if (!NAMED.has(key) || !isRecord(value)) places.push({ node: value, path: undefined });
      else {
        const isReached = key === "properties" && path !== undefined;
        for (const [name, node] of Object.entries(value)) {
          places.push({ node, path: isReached ? [...path, name] : undefined });
        }
      }
    }
  }
  return found;
}

/** Keywords whose members are named by the author and may have any name. */
const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
/** Keywords that contain values instead of schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", MARK]);

function headerText(value: unknown): string | undefined {
  if (typeof value === "number" && !Number.isSafeInteger(value)) return undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  const text = String(value);
  if (PLAIN_VALUE.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
