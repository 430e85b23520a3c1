import type { OutOfContext } from "../page-data.ts";
import type { ReadableEntry } from "./entry-page.ts";
import { fieldsOf, listOf, textOf } from "./plain-value.ts";

/** Entries of programs that take others out of what the model sees. */
const KINDS: Readonly<Record<string, OutOfContext>> = { prune: "pruned", withdraw: "withdrawn" };

/** The entries that stay in the history although the model does not see them any more, as far as this one tells. */
export function outOfContext(entry: ReadableEntry): ReadonlyMap<string, OutOfContext> {
  const { type, customType, data } = fieldsOf(entry);
  const name = textOf(customType);
  const kind = type === "custom" && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  return new Map(kind ? listOf(fieldsOf(data).ids).map((id) => [textOf(id), kind]) : []);
}
