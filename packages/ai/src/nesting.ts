/**
 * How many levels a value from outside may have: arguments of a model, frames of a host, results of tools. JSON has no
 * limit, but nearly everything that traverses a value, including the JSON writer, eventually runs out of stack.
 */
export const MAX_NESTING = 200;

/** Levels that pintle adds around such a value when it stores or sends it. */
const ENVELOPE_LEVELS = 16;

/** Limit for structures that contain such values, such as session entries. */
export const MAX_ENTRY_NESTING = MAX_NESTING + ENVELOPE_LEVELS;

export const TOO_DEEP_TEXT = `nested more than ${MAX_NESTING} levels deep`;

/**
 * Returns whether a value has more than `levels`. Visits each object once and never goes deeper, so its own recursion
 * is bounded. A cyclic value has no depth and is not detected here; JSON writers handle it.
 */
export function isTooDeep(value: unknown, levels = MAX_NESTING): boolean {
  return measure(value, []) === "deep";

  function measure(part: unknown, path: object[]): "deep" | "cyclic" | undefined {
    if (typeof part !== "object" || part === null || ArrayBuffer.isView(part)) return undefined;
    if (path.length === levels) return new Set(path).size < levels || path.includes(part) ? "cyclic" : "deep";
    path.push(part);
    if (Array.isArray(part)) {
      for (const inner of part) {
        const found = typeof inner === "object" ? measure(inner, path) : undefined;
        if (found) return found;
      }
    } else {
      // Without a list of the values: a session file has tens of thousands of these objects.
      for (const key in part) {
        const inner = Object.hasOwn(part, key) ? (part as Record<string, unknown>)[key] : undefined;
        const found = typeof inner === "object" ? measure(inner, path) : undefined;
        if (found) return found;
      }
    }
    path.pop();
    return undefined;
  }
}
