import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { HeldDirectory, isSystemError } from "@pintle/foundation";
import { escapeName } from "./printable-text.ts";
import { type OutputLimits, truncateHead } from "./truncate.ts";

export interface ListingOptions extends OutputLimits {
  /** Maximum number of entries. */
  limit: number;
  signal: AbortSignal;
  shownPath: string;
}

export interface Listing {
  text: string;
  /** Whether there are more entries than `limit`. */
  hasMore: boolean;
}

/**
 * Lists the entries of a directory, one per line. The last line counts those that are omitted. The path must not contain
 * links. Throws the system's errors.
 */
export async function listDirectory(real: string, options: ListingOptions): Promise<Listing> {
  const held = HeldDirectory.open(real, options.shownPath);
  try {
    return await list(held.pathOf("."), options);
  } finally {
    held.close();
  }
}

async function list(path: string, { limit, signal, shownPath: _, ...limits }: ListingOptions): Promise<Listing> {
  const entries = await readdir(path, { withFileTypes: true });
  signal.throwIfAborted();
  if (entries.length === 0) return { text: "(empty directory)", hasMore: false };
  const listed = sortByName(entries).slice(0, Math.min(limit, limits.maxLines));
  const lines = await Promise.all(listed.map((entry) => listingLine(path, entry)));
  signal.throwIfAborted();
  const { text, truncation } = truncateHead(lines.join("\n"), limits);
  const shown = truncation?.outputLines ?? lines.length;
  const hasMore = entries.length > limit;
  return { text: shown < entries.length ? `${text}\n\n${notice(shown, entries.length, limit)}` : text, hasMore };
}

function notice(shown: number, total: number, limit: number): string {
  const isByLimit = shown === limit;
  const advice = isByLimit ? `Use limit=${limit * 2} for more.` : "No more fit. Use find with a pattern.";
  return `[${shown} of ${total} entries are shown. ${advice}]`;
}

async function listingLine(directory: string, entry: Dirent): Promise<string> {
  const name = escapeName(entry.name);
  return (await leadsToDirectory(directory, entry)) ? `${name}/` : name;
}

async function leadsToDirectory(directory: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return (await stat(join(directory, entry.name))).isDirectory();
  } catch (error) {
    if (isSystemError(error)) return false; // a dangling link
    throw error;
  }
}

/** Sorts without regard to case, except between names that differ only in case. */
function sortByName(entries: readonly Dirent[]): Dirent[] {
  return entries
    .map((entry) => ({ entry, key: `${entry.name.toLowerCase()}\0${entry.name}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ entry }) => entry);
}
