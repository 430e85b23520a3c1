import { CommandError, type ListQuery, type SessionPage, storable } from "@pintle/gateway/cluster";
import type { Database, SqlValue } from "../database/database.ts";

type Row = SessionPage["sessions"][number];

interface ListedRow {
  sessionId: string;
  name: string | null;
  cwd: string;
  createdAt: Date;
  updatedAt: Date;
  /** With all digits, which a Date does not have. */
  place: string;
  messageCount: number;
  firstMessage: string | null;
  cost: number | null;
  status: Row["status"];
  node: string | null;
}

const DEFAULT_LIMIT = 50;
const LIKE_SIGNS = /[\\%_]/g;

/**
 * Lists sessions of the log that have a message and are inside the roots, the most recently written first. Rejects with
 * StoreError.
 */
export async function listFromLog(
  database: Database,
  roots: readonly string[],
  { cwd, query = "", status, deleted = false, limit = DEFAULT_LIMIT, cursor }: ListQuery,
): Promise<SessionPage> {
  const values: SqlValue[] = [];
  const value = (one: SqlValue) => `$${values.push(one)}`;
  const state = `CASE WHEN lease.node_id IS NOT NULL AND lease.expires_at > clock_timestamp() THEN lease.status ELSE 'stored' END`;
  const time = deleted ? "deleted_at" : "updated_at";
  const conditions = [
    deleted ? "deleted_at IS NOT NULL" : "deleted_at IS NULL AND message_count > 0",
    cwd === undefined ? insideRoots(roots, value) : `cwd = ${value(storable(cwd))}`,
    ...wordsOf(query).map(
      (word) =>
        `(searchable LIKE ${value(`%${word.replace(LIKE_SIGNS, "\\$&")}%`)} OR session_id LIKE ${value(`${word.replace(LIKE_SIGNS, "\\$&")}%`)})`,
    ),
    ...(status === undefined ? [] : [`${state} = ${value(status)}`]),
  ];
  if (cursor !== undefined) {
    const [place, sessionId] = readCursor(cursor);
    conditions.push(`(${time}, session_id) < (${value(place)}::timestamptz, ${value(sessionId)})`);
  }
  const rows = await database.query<ListedRow>(
    `SELECT session_id AS "sessionId", session.name, cwd, created_at AS "createdAt", updated_at AS "updatedAt",
       ${time}::text AS place, message_count AS "messageCount", first_message AS "firstMessage", cost, ${state} AS status,
       node.name AS node
     FROM pintle.sessions AS session
       LEFT JOIN pintle.leases AS lease USING (session_id)
       LEFT JOIN pintle.nodes AS node ON node.node_id = lease.node_id AND lease.expires_at > clock_timestamp()
     WHERE ${conditions.join(" AND ")}
     ORDER BY ${time} DESC, session_id DESC LIMIT ${value(limit + 1)}`,
    values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    sessions: page.map(toRow),
    ...(rows.length > limit && last && { nextCursor: writeCursor(last) }),
  };
}

function insideRoots(roots: readonly string[], value: (one: SqlValue) => string): string {
  const each = roots.map((root) => {
    const inside = `${root.replace(LIKE_SIGNS, "\\$&").replace(/\/$/, "")}/%`;
    return `cwd = ${value(root)} OR cwd LIKE ${value(inside)}`;
  });
  return `(${each.join(" OR ")})`;
}

function wordsOf(query: string): string[] {
  return storable(query).toLowerCase().split(/\s+/).filter(Boolean);
}

function toRow({ name, firstMessage, cost, node, createdAt, updatedAt, place: _place, ...row }: ListedRow): Row {
  return {
    ...row,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(name !== null && { name }),
    ...(firstMessage !== null && { firstMessage }),
    ...(cost !== null && { cost }),
    ...(node !== null && { node }),
  };
}

function writeCursor({ place, sessionId }: ListedRow): string {
  return Buffer.from(JSON.stringify([place, sessionId])).toString("base64url");
}

function readCursor(text: string): [place: string, sessionId: string] {
  try {
    const [place, sessionId]: unknown[] = JSON.parse(Buffer.from(text, "base64url").toString());
    const isPlace = typeof place === "string" && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[\d.+:-]*$/.test(place);
    if (isPlace && typeof sessionId === "string") return [place, storable(sessionId)];
  } catch {
    // not one of our cursors
  }
  throw new CommandError("invalid_request", "Invalid list_sessions: cursor must be the nextCursor of an earlier page");
}
