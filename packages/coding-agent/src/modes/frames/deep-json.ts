/** One level of nesting that is being written. */
interface Level {
  entries: IterableIterator<[key: string | undefined, value: unknown]>;
  close: "]" | "}";
  isEmpty: boolean;
}

/**
 * JSON without recursion: the tree of a conversation is as deep as the conversation is long, and JSON.stringify runs out of
 * stack after some thousand levels. For plain data only.
 */
export function deepJson(root: unknown): string {
  const parts: string[] = [];
  const levels: Level[] = [];
  const write = (given: unknown) => {
    const value = asJsonValue(given);
    if (typeof value !== "object" || value === null) {
      parts.push(typeof value === "number" && !Number.isFinite(value) ? "0" : (JSON.stringify(value) ?? "null"));
      return;
    }
    const isArray = Array.isArray(value);
    parts.push(isArray ? "[" : "{");
    levels.push({ entries: isArray ? items(value) : fields(value), close: isArray ? "]" : "}", isEmpty: true });
  };
  write(root);
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { done, value: entry } = level.entries.next();
    if (done) {
      parts.push(level.close);
      levels.pop();
      continue;
    }
    if (!level.isEmpty) parts.push(",");
    level.isEmpty = false;
    const [key, value] = entry;
    if (key !== undefined) parts.push(JSON.stringify(key), ":");
    write(value);
  }
  return parts.join("");
}

/** As JSON.stringify does it, for dates and the like. */
function asJsonValue(value: unknown): unknown {
  const { toJSON } = Object(value) as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}

function* items(values: readonly unknown[]): Generator<[undefined, unknown]> {
  for (const value of values) yield [undefined, value];
}

function* fields(object: object): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(object)) if (value !== undefined) yield [key, value];
}
