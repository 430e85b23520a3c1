import { isDeepStrictEqual } from "node:util";
import type { Check, EntryRow, Frame } from "./evidence.ts";

/** The clocks of the database and of hosts are the same here, with a resolution of a millisecond. */
const SAME_MS = 1;

interface Cursor {
  epoch?: string;
  seq?: number;
  entryId?: string;
}

/** A host receives nothing that is not stored, and nothing before it is stored. */
export const toldIsStored: Check = (evidence) => {
  const wrong: string[] = [];
  const stored = new Map(evidence.entries.map((entry) => [`${entry.sessionId} ${entry.entryId}`, entry]));
  for (const line of evidence.transcripts) {
    if (line.dir !== "in") continue;
    const sessionId = sessionOf(line.frame);
    for (const { entryId, entry, message } of toldBy(line.frame)) {
      const row = stored.get(`${sessionId} ${entryId}`);
      const what = `${sessionId}: ${line.host} was told ${entryId} by ${String(line.frame.type)}`;
      if (!row) wrong.push(`${what}, which is not stored`);
      else if (differs(row, entry, message)) wrong.push(`${what}, and something else is stored`);
      else if (row.storedAt > line.at + SAME_MS)
        wrong.push(`${what} ${Math.ceil(row.storedAt - line.at)} ms before it was stored`);
    }
  }
  return wrong;
};

interface Told {
  entryId: string;
  entry?: Frame;
  message?: unknown;
}

/** Returns the entries that a frame contains or refers to. */
function toldBy(frame: Frame): Told[] {
  const data = (frame.data ?? {}) as Frame;
  const entries = [frame.entry, ...asList(frame.entries), ...asList(data.entries)].filter(Boolean) as Frame[];
  const told: Told[] = entries.map((entry) => ({ entryId: String(entry.id), entry }));
  const { entryId } = ((frame.cursor ?? data.cursor) as Cursor | undefined) ?? {};
  if (entryId === undefined) return told;
  // The cursor of a finished message names the entry that contains it.
  return [...told, { entryId, ...(frame.type === "message_end" && { message: frame.message }) }];
}

function differs(row: EntryRow, entry: Frame | undefined, message: unknown): boolean {
  const stored = JSON.parse(row.line) as Frame;
  if (entry) return !isDeepStrictEqual(stored, entry);
  return message !== undefined && !isDeepStrictEqual(stored.message, message);
}

/**
 * On a connection, the frames of a session arrive in the order of their numbers and without duplicates, from each attachment
 * on.
 */
export const inOrder: Check = ({ transcripts }) => {
  const wrong: string[] = [];
  const last = new Map<string, number>();
  for (const { host, connection, dir, frame } of transcripts) {
    if (dir !== "in") continue;
    const name = `${host} ${connection} ${sessionOf(frame)}`;
    // Another attachment may replay what the previous one had, and the next owner restarts the numbering.
    if (isAttachment(frame) || frame.type === "session_moved") last.delete(name);
    if (typeof frame.seq !== "number") continue;
    const before = last.get(name) ?? 0;
    if (frame.seq <= before && frame.type !== "session_snapshot")
      wrong.push(`${name}: frame ${frame.seq} behind ${before}`);
    last.set(name, frame.seq);
  }
  return wrong;
};

const ATTACHES: ReadonlySet<unknown> = new Set(["open_session", "attach_session"]);

function isAttachment({ type, command, success }: Frame): boolean {
  return type === "response" && ATTACHES.has(command) && success === true;
}

function sessionOf({ sessionId, data }: Frame): string {
  return String(sessionId ?? (data as Frame | undefined)?.sessionId);
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
