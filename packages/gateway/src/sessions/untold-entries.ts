import { isRecord } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import type { FrameLog } from "./frame-log.ts";

const ENTRY_ID = /^\{"type":"entry_appended","entry":\{"type":"[^"\\]*","id":"([^"\\]*)"/;

/**
 * What a worker has stored and died before it told. Hosts that stayed would never hear of it, those that come back would: so it is
 * told when the next worker has the session open.
 */
export class UntoldEntries {
  readonly #log: FrameLog;
  /** Entries of the time before are known to hosts, or not needed. */
  readonly #openedAt: string;
  /** Told by the new worker itself; undefined while nothing is to be found out. */
  #told: Set<string> | undefined;

  constructor(log: FrameLog, { isStored }: { isStored: boolean }) {
    this.#log = log;
    this.#openedAt = isStored ? new Date().toISOString() : "";
  }

  get isExpected(): boolean {
    return this.#told !== undefined;
  }

  /** The worker died. */
  expect(): void {
    this.#told ??= new Set();
  }

  /** An `entry_appended` of the worker. */
  observe(line: string): void {
    const id = this.#told && ENTRY_ID.exec(line)?.[1];
    if (id !== undefined) this.#told?.add(id);
  }

  /** The question to the new worker. */
  question(): { type: string; since?: string } {
    const { entryId } = this.#log.cursor;
    return { type: "get_entries", ...(entryId !== undefined && { since: entryId }) };
  }

  /** The frames that tell them. */
  framesFor(answer: unknown): { type: string; line: string }[] {
    const told = this.#told ?? new Set();
    this.#told = undefined;
    const entries = isRecord(answer) && Array.isArray(answer.entries) ? (answer.entries as SessionEntry[]) : [];
    // Without an entry to begin behind, time tells which are of this worker's life.
    const from = this.#log.cursor.entryId === undefined ? this.#openedAt : "";
    return entries.filter(({ id, timestamp }) => !told.has(id) && timestamp >= from).flatMap(framesOf);
  }
}

function framesOf(entry: SessionEntry & { message?: unknown }): { type: string; line: string }[] {
  const { message, id } = entry;
  const ofMessage = (type: string) => ({ type, line: JSON.stringify({ type, message, messageId: `entry-${id}` }) });
  const appended = { type: "entry_appended", line: JSON.stringify({ type: "entry_appended", entry }) };
  if (entry.type !== "message" || message === undefined) return [appended];
  return [ofMessage("message_start"), appended, ofMessage("message_end")];
}
