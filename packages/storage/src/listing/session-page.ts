import { relative } from "node:path";
import { SessionError } from "../session-error.ts";
import { type Candidate, type ListingReader, mapLimited, PARALLEL_READS } from "./listing-reader.ts";
import { missingWords } from "./message-words.ts";
import { readDetails, type SessionDetails } from "./session-details.ts";
import { readSummary, type SessionSummary } from "./session-summary.ts";

/** A session as listed. */
export interface ListedSession extends SessionSummary {
  messageCount: number;
  /** In dollars; undefined if no answer states its cost. */
  cost?: number;
  /** How many lines could not be read; absent if all could. */
  damagedLines?: number;
}

export interface SessionQuery {
  /** List deleted sessions instead. */
  deleted?: boolean | undefined;
  /** Only sessions of this working directory. */
  cwd?: string | undefined;
  /** Words that must all appear in the id, name, working directory or messages; case is ignored. */
  query?: string | undefined;
  /** Additional condition. */
  accept?(session: SessionSummary): boolean;
  limit?: number;
  /** Cursor from the previous page. */
  cursor?: string | undefined;
}

export interface SessionPage {
  sessions: ListedSession[];
  /** Whether there are more. */
  nextCursor?: string;
}

/**
 * Returns candidates that have a message, newest first. Reads no more files than the page needs: their
 * beginnings, and whole only those that are shown or searched.
 */
export async function sessionPage(
  reader: ListingReader,
  sessionDir: string,
  candidates: readonly Candidate[],
  { cwd, query = "", accept = () => true, limit = Number.POSITIVE_INFINITY, cursor }: SessionQuery,
): Promise<SessionPage> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const placeOf = ({ modifiedAt, path }: Candidate): Place => ({ modifiedAt, name: relative(sessionDir, path) });
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rest = after ? candidates.filter((candidate) => comesAfter(placeOf(candidate), after)) : candidates;
  const look = async (candidate: Candidate): Promise<ListedSession | undefined> => {
    const summary = await readSummary(reader, candidate.path, candidate.modifiedAt);
    if (!summary?.hasMessages || !accept(summary) || (cwd !== undefined && summary.cwd !== cwd)) return undefined;
    const listed = withDetails(summary, await readDetails(reader, candidate.path));
    const others = words.filter((word) => !isIn(listed, word));
    const missing = others.length === 0 ? others : await missingWords(reader, candidate.path, others);
    return missing.length === 0 ? listed : undefined;
  };

  const sessions: ListedSession[] = [];
  // One extra session shows whether there is another page.
  for (let at = 0; at < rest.length && sessions.length <= limit; at += PARALLEL_READS) {
    const found = await mapLimited(rest.slice(at, at + PARALLEL_READS), look);
    sessions.push(...found.filter((session) => session !== undefined));
  }
  const page = sessions.slice(0, limit);
  const last = page.at(-1);
  return { sessions: page, ...(sessions.length > limit && last && { nextCursor: writeCursor(placeOf(last)) }) };
}

function withDetails(
  { name: early, ...summary }: SessionSummary,
  { name, messageCount, cost, damagedLines }: SessionDetails,
): ListedSession {
  const current = name === undefined ? early : name;
  const about = { ...(cost !== undefined && { cost }), ...(damagedLines > 0 && { damagedLines }) };
  return { ...summary, messageCount, ...(current && { name: current }), ...about };
}

function isIn({ id, name = "", firstMessage = "", cwd }: SessionSummary, word: string): boolean {
  return id.startsWith(word) || [name, firstMessage, cwd].some((text) => text.toLowerCase().includes(word));
}

/** The position of a session in the list. It is only compared; untrusted input never becomes a file name. */
interface Place {
  modifiedAt: number;
  name: string;
}

/** Skips a session that was written in the meantime and moved to the front, so that it is not shown twice. */
function comesAfter(place: Place, other: Place): boolean {
  return place.modifiedAt < other.modifiedAt || (place.modifiedAt === other.modifiedAt && place.name < other.name);
}

function writeCursor({ modifiedAt, name }: Place): string {
  return Buffer.from(JSON.stringify([modifiedAt, name])).toString("base64url");
}

function readCursor(text: string): Place {
  try {
    const [modifiedAt, name]: unknown[] = JSON.parse(Buffer.from(text, "base64url").toString());
    if (typeof modifiedAt === "number" && typeof name === "string") return { modifiedAt, name };
  } catch {
    // not one of our cursors
  }
  throw new SessionError("invalid_request", "Invalid list_sessions: cursor must come from an earlier page");
}
