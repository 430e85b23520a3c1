import type { OutOfContext } from "../page-data.ts";
import type { ReadableEntry } from "./entry-page.ts";
import { fieldsOf, listOf, textOf } from "./plain-value.ts";

/** Entry types that remove other entries from the model's context. */
const KINDS: Readonly<Record<string, OutOfContext>> = { prune: "pruned", withdraw: "withdrawn" };

/** Returns the entries that this one removes from the model's context. They stay in the history. */
export function outOfContext(entry: ReadableEntry): ReadonlyMap<string, OutOfContext> {
  const { type, customType, data } = fieldsOf(entry);
  const name = textOf(customType);
  const kind = type === "custom" && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  return new Map(kind ? listOf(fieldsOf(data).ids).map((id) => [textOf(id), kind]) : []);
}
