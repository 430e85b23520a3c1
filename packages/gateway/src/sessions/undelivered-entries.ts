import { isRecord } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import type { FrameLog } from "./frame-log.ts";

const ENTRY_ID = /^\{"type":"entry_appended","entry":\{"type":"[^"\\]*","id":"([^"\\]*)"/;

/**
 * Entries that a worker stored but did not emit before it died. Attached hosts would never receive them, while reconnecting hosts
 * would. They are therefore emitted when the next worker has opened the session.
 */
export class UndeliveredEntries {
  readonly #log: FrameLog;
  /** Entries older than this are already known to hosts. */
  readonly #openedAt: string;
  /** Entries that the new worker reported itself; undefined unless a worker died. */
  #reported: Set<string> | undefined;

  constructor(log: FrameLog, { isStored }: { isStored: boolean }) {
    this.#log = log;
    this.#openedAt = isStored ? new Date().toISOString() : "";
  }

  get isExpected(): boolean {
    return this.#reported !== undefined;
  }

  /** Called when a worker has died. */
  expect(): void {
    this.#reported ??= new Set();
  }

  /** Handles an `entry_appended` of the worker. */
  observe(line: string): void {
    const id = this.#reported && ENTRY_ID.exec(line)?.[1];
    if (id !== undefined) this.#reported?.add(id);
  }

  /** Returns the command that requests the entries from the new worker. */
  question(): { type: string; since?: string } {
    const { entryId } = this.#log.cursor;
    return { type: "get_entries", ...(entryId !== undefined && { since: entryId }) };
  }

  /** Returns the frames that report the entries. */
  framesFor(answer: unknown): { type: string; line: string }[] {
    const reported = this.#reported ?? new Set();
    this.#reported = undefined;
    const entries = isRecord(answer) && Array.isArray(answer.entries) ? (answer.entries as SessionEntry[]) : [];
    // If no last entry is known, the time shows which entries this worker wrote.
    const from = this.#log.cursor.entryId === undefined ? this.#openedAt : "";
    return entries.filter(({ id, timestamp }) => !reported.has(id) && timestamp >= from).flatMap(framesOf);
  }
}

function framesOf(entry: SessionEntry & { message?: unknown }): { type: string; line: string }[] {
  const { message, id } = entry;
  const ofMessage = (type: string) => ({ type, line: JSON.stringify({ type, message, messageId: `entry-${id}` }) });
  const appended = { type: "entry_appended", line: JSON.stringify({ type: "entry_appended", entry }) };
  if (entry.type !== "message" || message === undefined) return [appended];
  return [ofMessage("message_start"), appended, ofMessage("message_end")];
}
