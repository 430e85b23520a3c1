/**
 * How many levels a value from outside may have: arguments of a model, frames of a host, results of tools. JSON itself knows
 * no limit, but nearly everything that walks a value, the JSON writer included, runs out of stack somewhere.
 */
export const MAX_NESTING = 200;

/** What we put around such a value when it is stored or sent. */
const ENVELOPE_LEVELS = 16;

/** For what holds values and was made from them: entries of a session. */
export const MAX_ENTRY_NESTING = MAX_NESTING + ENVELOPE_LEVELS;

export const TOO_DEEP_TEXT = `nested more than ${MAX_NESTING} levels deep`;

/**
 * Whether it has more than `levels`. Looks at each object once and never deeper than that, so its own recursion is bounded.
 * What contains itself has no depth and is no case of this: the writers of JSON know what to do with it.
 */
export function isTooDeep(value: unknown, levels = MAX_NESTING): boolean {
  return measure(value, []) === "deep";

  function measure(part: unknown, path: object[]): "deep" | "cyclic" | undefined {
    if (typeof part !== "object" || part === null || ArrayBuffer.isView(part)) return undefined;
    if (path.length === levels) return new Set(path).size < levels || path.includes(part) ? "cyclic" : "deep";
    path.push(part);
    for (const inner of Array.isArray(part) ? part : Object.values(part)) {
      const found = typeof inner === "object" ? measure(inner, path) : undefined;
      if (found) return found;
    }
    path.pop();
    return undefined;
  }
}
