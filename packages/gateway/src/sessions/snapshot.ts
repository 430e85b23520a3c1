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

/**
 * The session as it is, for a host that missed more than is kept. `done` is called where the worker's answer stands among its
 * frames: everything before it is in the snapshot, and everything behind it is not. `fail` gets the response that says why not.
 */
export function requestSnapshot(
  source: SnapshotSource,
  entryId: string | undefined,
  { done, fail }: { done(snapshot: Fields): void; fail(tail: string): void },
): void {
  const { session } = source;
  let state: unknown;
  session.request({ type: "get_state" }, (tail) => {
    state = dataIn(tail);
  });
  session.request({ type: "get_entries", ...(entryId !== undefined && { since: entryId }) }, (tail) => {
    if (isSuccess(tail) && state !== undefined) done(snapshotOf(source, state, dataIn(tail) as Fields));
    else if (state !== undefined && entryId !== undefined)
      requestSnapshot(source, undefined, { done, fail }); // the entry is gone
    else fail(tail);
  });
}

function snapshotOf({ session, picture, pending }: SnapshotSource, state: unknown, read: Fields): Fields {
  const all = Array.isArray(read.entries) ? (read.entries as unknown[]) : [];
  const entries = firstPage(all);
  return {
    state,
    entries,
    leafId: read.leafId ?? null,
    ...(entries.length < all.length && { more: true }),
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
