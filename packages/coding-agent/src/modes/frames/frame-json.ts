import { fillPlaces, type JsonWithPlaces, KnownJson, withPlaces } from "./known-json.ts";

/**
 * Returns JSON that is safe on the wire: a single line for every reader, and no number turned into `null`. Tools and
 * extensions supply some values, so anything that JSON cannot represent is replaced instead of losing the frame.
 */
export function toFrameJson(value: object | string): string {
  const { json, texts } = stringify(value);
  return fillPlaces({ json: escapeLineSeparators(json), texts });
}

/** Caches the JSON of a part that is sent often and rarely changes. */
export function knownJson(value: object | string): KnownJson {
  return new KnownJson(toFrameJson(value));
}

function stringify(value: object | string): JsonWithPlaces {
  let made: JsonWithPlaces;
  try {
    made = withPlaces(() => JSON.stringify(value));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // TypeError: a cycle or a BigInt
    return withPlaces(() => JSON.stringify(withoutCycles(value, []), replaceUnsupported));
  }
  // A replacer runs for every key, so use it only if a NaN or Infinity may have become null.
  return made.json.includes("null") ? withPlaces(() => JSON.stringify(value, replaceUnsupported)) : made;
}

function replaceUnsupported(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return 0;
  return typeof value === "bigint" ? value.toString() : value;
}

function withoutCycles(value: unknown, ancestors: readonly object[]): unknown {
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  if (ancestors.includes(value)) return undefined;
  const path = [...ancestors, value];
  if (Array.isArray(value)) return value.map((item) => withoutCycles(item, path) ?? null);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutCycles(item, path)]));
}

/** Line separators that are legal in JSON but that line readers of several languages split at. */
function escapeLineSeparators(text: string): string {
  if (!text.includes("\u2028") && !text.includes("\u2029")) return text;
  return text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
