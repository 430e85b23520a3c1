import type { FrameLog } from "./frame-log.ts";
import { isSuccess } from "./sent-commands.ts";
import type { SessionPicture } from "./session-picture.ts";
import type { WorkerCommands } from "./worker-commands.ts";

/** The most entries in a snapshot; the host reads the rest with `get_entries`. */
const PAGE_ENTRIES = 256;
const PAGE_CHARS = 1024 * 1024;

export interface SnapshotSource {
  log: FrameLog;
  picture: SessionPicture;
  commands: Pick<WorkerCommands, "request">;
  pending(): unknown[];
}

type Fields = Record<string, unknown>;

/** The last entry that the host has, and how many entries it wants. */
export interface SnapshotOptions {
  entryId?: string | undefined;
  lastEntries?: number | undefined;
}

export interface SnapshotListener {
  done(snapshot: Fields): void;
  /** Called with the failure response, without its id. */
  fail(tail: string): void;
}

/**
 * State and entries are two responses. If frames arrive between them, both are requested again, up to this many times.
 */
const MAX_ATTEMPTS = 5;

/**
 * Requests a snapshot for a host that missed more frames than are kept. `done` is called at its position among the worker's
 * frames: the snapshot contains everything before it and nothing after it.
 */
export function requestSnapshot(source: SnapshotSource, options: SnapshotOptions, listener: SnapshotListener): void {
  // The first request takes longer, because the worker builds its system prompt.
  source.commands.request({ type: "get_state" }, (tail) => {
    if (isSuccess(tail)) readBoth(source, options, listener, MAX_ATTEMPTS);
    else listener.fail(tail);
  });
}

/** Reads the state first: a state older than the entries is harmless, but missed events are not. */
function readBoth(
  source: SnapshotSource,
  options: SnapshotOptions,
  listener: SnapshotListener,
  attempts: number,
): void {
  const { log } = source;
  let state: unknown;
  let seq = 0;
  source.commands.request({ type: "get_state" }, (tail) => {
    seq = log.seq;
    if (isSuccess(tail)) state = dataIn(tail);
  });
  const { entryId: since, lastEntries: limit } = options;
  const which = { ...(since !== undefined && { since }), ...(limit !== undefined && { limit }) };
  source.commands.request({ type: "get_entries", ...which }, (tail) => {
    if (state === undefined || attempts === 0) listener.fail(tail);
    else if (!isSuccess(tail))
      readBoth(source, { lastEntries: limit }, listener, attempts - 1); // the host's entry no longer exists
    else if (seq === log.seq || attempts === 1) listener.done(snapshotOf(source, state, dataIn(tail) as Fields));
    else readBoth(source, options, listener, attempts - 1);
  });
}

function snapshotOf({ log, picture, pending }: SnapshotSource, state: unknown, read: Fields): Fields {
  const all = Array.isArray(read.entries) ? (read.entries as unknown[]) : [];
  // The response to a request for the last entries is already limited.
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
    seq: log.seq,
    cursor: log.cursor,
  };
}

function firstPage(entries: readonly unknown[]): readonly unknown[] {
  let chars = 0;
  const end = entries.slice(0, PAGE_ENTRIES).findIndex((entry) => {
    chars += JSON.stringify(entry).length;
    return chars > PAGE_CHARS;
  });
  // Include at least one entry, so that the host makes progress.
  return entries.slice(0, end < 0 ? PAGE_ENTRIES : Math.max(end, 1));
}

/** Returns the data of a response without its id. */
export function dataIn(tail: string): unknown {
  return (JSON.parse(`{${tail}`) as { data?: unknown }).data;
}
