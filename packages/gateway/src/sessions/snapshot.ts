import type { LiveSession } from "./live-session.ts";
import { isSuccess } from "./sent-commands.ts";
import type { SessionPicture } from "./session-picture.ts";

/** Entries beyond these are read by the host with `get_entries`. */
const PAGE_ENTRIES = 256;
const PAGE_CHARS = 1024 * 1024;

export interface SnapshotSource {
  session: LiveSession;
  picture: SessionPicture;
  pending(): unknown[];
}

type Fields = Record<string, unknown>;

/** What the host has, and how much it wants. */
export interface SnapshotWish {
  entryId?: string | undefined;
  lastEntries?: number | undefined;
}

export interface SnapshotListener {
  done(snapshot: Fields): void;
  /** With the response, behind its id, that says why not. */
  fail(tail: string): void;
}

/** State and entries are two answers; where frames come between them, it is asked again, but not for ever. */
const MAX_ATTEMPTS = 5;

/**
 * The session as it is, for a host that missed more than is kept. `done` is called where the worker's answer stands among its
 * frames: everything before it is in the snapshot, and everything behind it is not.
 */
export function requestSnapshot(source: SnapshotSource, wish: SnapshotWish, listener: SnapshotListener): void {
  // The first time a worker has to look for its system prompt, later it answers at once.
  source.session.request({ type: "get_state" }, (tail) => {
    if (isSuccess(tail)) readBoth(source, wish, listener, MAX_ATTEMPTS);
    else listener.fail(tail);
  });
}

/** The state first: that it is older than the entries does no harm, events that a host misses would. */
function readBoth(source: SnapshotSource, wish: SnapshotWish, listener: SnapshotListener, attempts: number): void {
  const { session } = source;
  let state: unknown;
  let seq = 0;
  session.request({ type: "get_state" }, (tail) => {
    seq = session.log.seq;
    if (isSuccess(tail)) state = dataIn(tail);
  });
  const { entryId: since, lastEntries: limit } = wish;
  const which = { ...(since !== undefined && { since }), ...(limit !== undefined && { limit }) };
  session.request({ type: "get_entries", ...which }, (tail) => {
    if (state === undefined || attempts === 0) listener.fail(tail);
    else if (!isSuccess(tail))
      readBoth(source, { lastEntries: limit }, listener, attempts - 1); // the host's entry is not there any more
    else if (seq === session.log.seq || attempts === 1)
      listener.done(snapshotOf(source, state, dataIn(tail) as Fields));
    else readBoth(source, wish, listener, attempts - 1);
  });
}

function snapshotOf({ session, picture, pending }: SnapshotSource, state: unknown, read: Fields): Fields {
  const all = Array.isArray(read.entries) ? (read.entries as unknown[]) : [];
  // A page from the end is one already.
  const entries = read.first === undefined ? firstPage(all) : all;
  return {
    state,
    entries,
    leafId: read.leafId ?? null,
    ...(entries.length < all.length && { more: true }),
    ...(read.first !== undefined && { first: read.first }),
    ...picture.message.soFar(),
    tools: picture.runningTools(),
    pending: pending(),
    seq: session.log.seq,
    cursor: session.log.cursor,
  };
}

function firstPage(entries: readonly unknown[]): readonly unknown[] {
  let chars = 0;
  const end = entries.slice(0, PAGE_ENTRIES).findIndex((entry) => {
    chars += JSON.stringify(entry).length;
    return chars > PAGE_CHARS;
  });
  // At least one, or the host would never get further.
  return entries.slice(0, end < 0 ? PAGE_ENTRIES : Math.max(end, 1));
}

/** Of a response without its id. */
export function dataIn(tail: string): unknown {
  return (JSON.parse(`{${tail}`) as { data?: unknown }).data;
}
