import type { SessionManager } from "@pintle/storage";
import type { Params, Result } from "@pintle/wire";
import { MAX_PAGE_BYTES } from "./page-size.ts";

type Page = Omit<Result<"get_entries">, "leafId">;

/**
 * Returns the entries between two entries, or the last part of them. Entries are only ever added, so a page never changes.
 */
export function entriesPage(manager: SessionManager, { since, before, limit }: Params<"get_entries">): Page {
  const all = manager.entries();
  const from = since === undefined ? 0 : manager.position(since) + 1;
  const to = Math.max(from, before === undefined ? all.length : manager.position(before));
  if (limit === undefined) return { entries: all.slice(from, to) };
  const first = Math.max(from, to - limit);
  const entries = newest(all.slice(first, to));
  return { entries, first: to - entries.length };
}

/** Takes at least one entry, however large it is. */
function newest<T>(entries: T[]): T[] {
  let bytes = 0;
  const cut = entries.findLastIndex((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return bytes > MAX_PAGE_BYTES;
  });
  return entries.slice(Math.min(cut + 1, entries.length - 1));
}
