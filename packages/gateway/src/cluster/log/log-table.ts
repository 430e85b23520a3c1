import { type Database, StoreError } from "../database/database.ts";
import type { Lease } from "../leases.ts";
import type { Batch } from "./batch.ts";
import { storable } from "./entry-facts.ts";

/** Why a write was not done: another node has taken the lease. */
export class LeaseLost extends Error {}

/** Longer lines are handed over by themselves: as part of a list their text would be encoded twice. */
const LONG_LINE = 256 * 1024;

const LISTED = `json_to_recordset($14::text::json) AS entry(n bigint, "entryId" text, line text)`;
const ALONE = `(SELECT 1 AS n, ($14::text::json)->0->>'entryId' AS "entryId", $18::text AS line) AS entry`;

/**
 * One statement, so that it is one commit. The lease is locked first: taking it waits for this commit, or this commit sees that it
 * was taken. `writes` counts commits: one whose answer was lost finds that it was done.
 */
const write = (entries: string) => `
WITH held AS (
  SELECT 1 FROM pintle.leases WHERE session_id = $1 AND fence = $2 AND node_id = $3 FOR SHARE
), session AS (
  UPDATE pintle.sessions SET
    writes = writes + 1,
    position = position + $5::bigint,
    updated_at = CASE WHEN $5::bigint > 0 THEN clock_timestamp() ELSE updated_at END,
    message_count = message_count + $6::int,
    cost = CASE WHEN $7::float8 IS NULL THEN cost ELSE coalesce(cost, 0) + $7::float8 END,
    name = CASE WHEN $8::boolean THEN $9::text ELSE name END,
    first_message = coalesce(first_message, $10::text),
    header = coalesce($11::text, header),
    kept_commands = coalesce($12::text, kept_commands)
  WHERE session_id = $1 AND writes = $4::bigint AND EXISTS (SELECT 1 FROM held)
  RETURNING born, position
), appended AS (
  INSERT INTO pintle.entries (session_id, position, born, entry_id, fence, line)
  SELECT $1, session.position - $5::bigint + entry.n, session.born, entry."entryId", $2, entry.line
  FROM session, ${entries}
  WHERE $5::bigint > 0
), used AS (
  INSERT INTO pintle.blob_uses (session_id, hash)
  SELECT $1, hash FROM session, json_array_elements_text($13::text::json) AS hash ON CONFLICT DO NOTHING
), accepted AS (
  INSERT INTO pintle.commands (session_id, fence, ref, command_key, command, frame, response, entry_id, outcome, ended_at)
  SELECT $1, $2, ref, key, command, frame, response, "entryId", outcome,
    CASE WHEN outcome IS NULL THEN NULL ELSE clock_timestamp() END
  FROM session, json_to_recordset($15::text::json)
    AS one(ref text, key text, command text, frame text, response text, "entryId" text, outcome text)
  ON CONFLICT DO NOTHING
), changed AS (
  UPDATE pintle.commands AS command SET
    entry_id = coalesce(change."entryId", command.entry_id),
    outcome = coalesce(change.outcome, command.outcome),
    response = coalesce(change.response, command.response),
    ended_at = CASE WHEN change.outcome IS NULL THEN command.ended_at ELSE clock_timestamp() END
  FROM session, json_to_recordset($16::text::json) AS change(fence bigint, ref text, "entryId" text, outcome text, response text)
  WHERE command.session_id = $1 AND command.fence = change.fence AND command.ref = change.ref
)
SELECT (SELECT count(*)::int FROM held) AS held, (SELECT count(*)::int FROM session) AS written,
  (SELECT writes::text FROM pintle.sessions WHERE session_id = $1) AS writes, $17::text AS node`;

const WRITE_LISTED = write(LISTED);
const WRITE_ALONE = write(ALONE);

interface Outcome {
  held: number;
  written: number;
  writes: string | null;
}

/** A session as the table has it. */
export interface SessionRecord {
  sessionId: string;
  born: string;
  cwd: string;
  needs: string[];
  header: string;
  plan: string;
  kept: string;
  position: number;
  writes: number;
  isDeleted: boolean;
}

export interface NewSession {
  sessionId: string;
  cwd: string;
  needs: readonly string[];
  header: string;
  plan: string;
}

const PAGE = 64;
/** A commit that takes longer is tried again; a large one may. */
const DEADLINE_MS = 10_000;
const CHARS_PER_MS = 500;

/** The log of all sessions: entries, accepted commands and what lists show, written under a lease. */
export class LogTable {
  readonly #database: Database;
  readonly #nodeId: string;

  constructor(database: Database, nodeId: string) {
    this.#database = database;
    this.#nodeId = nodeId;
  }

  /** Resolves when it is committed, now or by an attempt before. Rejects with LeaseLost or StoreError. */
  async write({ sessionId, fence }: Lease, writes: number, batch: Batch): Promise<void> {
    const { entries, name, accepted, changes } = batch;
    const alone = entries.length === 1 && entries[0]!.line.length > LONG_LINE ? entries[0] : undefined;
    const listed = alone
      ? [{ entryId: alone.entryId }]
      : entries.map(({ entryId, line }, at) => ({ n: at + 1, entryId, line }));
    const values = [
      ...[sessionId, fence, this.#nodeId, writes, entries.length, batch.messages, batch.cost ?? null],
      ...[name !== undefined, name ?? null, batch.firstMessage ?? null, batch.header ?? null, batch.kept ?? null],
      JSON.stringify([...batch.blobs]),
      JSON.stringify(listed),
      JSON.stringify(
        [...accepted.values()].map((one) => ({ ...one, key: one.key === null ? null : storable(one.key) })),
      ),
      JSON.stringify([...changes.values()]),
      this.#nodeId,
      ...(alone ? [alone.line] : []),
    ];
    const deadlineMs = DEADLINE_MS + batch.chars / CHARS_PER_MS;
    const [outcome] = await this.#database.query<Outcome>(alone ? WRITE_ALONE : WRITE_LISTED, values, deadlineMs);
    if (!outcome || outcome.held === 0) throw new LeaseLost(`Another node has taken the session ${sessionId}`);
    if (outcome.written === 1 || Number(outcome.writes) === writes + 1) return;
    // The attempt before is being committed in this moment: the next look sees it.
    if (Number(outcome.writes) === writes) throw new StoreError("An earlier commit is under way", { isPassing: true });
    throw new LeaseLost(`The log of the session ${sessionId} has another length than this node knows`);
  }

  /** A session that is new, together with its lease. */
  async create({ sessionId, cwd, needs, header, plan }: NewSession): Promise<void> {
    await this.#database.query(
      `INSERT INTO pintle.sessions (session_id, cwd, needs, header, plan)
       VALUES ($1, $2, ARRAY(SELECT json_array_elements_text($3::text::json)), $4, $5)
       ON CONFLICT (session_id) DO NOTHING`,
      [sessionId, storable(cwd), JSON.stringify(needs.map(storable)), header, plan],
    );
  }

  async find(sessionId: string): Promise<SessionRecord | undefined> {
    const [row] = await this.#database.query<
      Omit<SessionRecord, "needs" | "position" | "writes"> & { needs: string; position: string; writes: string }
    >(
      `SELECT session_id AS "sessionId", born::text AS born, cwd, to_json(needs)::text AS needs, header, plan,
         kept_commands AS kept, position::text AS position, writes::text AS writes, deleted_at IS NOT NULL AS "isDeleted"
       FROM pintle.sessions WHERE session_id = $1`,
      [storable(sessionId)],
    );
    return (
      row && {
        ...row,
        needs: JSON.parse(row.needs) as string[],
        position: Number(row.position),
        writes: Number(row.writes),
      }
    );
  }

  /** The lines of a session in their order. A column that is given as text needs another name: ORDER BY would mean the text. */
  async *lines({ sessionId, born, position }: SessionRecord): AsyncIterable<LogLine> {
    for (let after = 0; after < position; ) {
      const rows = await this.#database.query<{ place: string; entry_id: string; line: string }>(
        `SELECT position::text AS place, entry_id, line FROM pintle.entries
         WHERE session_id = $1 AND born = $2::date AND position > $3 ORDER BY position LIMIT ${PAGE}`,
        [sessionId, born, after],
      );
      for (const row of rows) yield { entryId: row.entry_id, line: row.line };
      const last = rows.at(-1);
      if (!last) throw new Error(`The log of the session ${sessionId} ends before its last entry`);
      after = Number(last.place);
    }
  }
}

export interface LogLine {
  entryId: string;
  line: string;
}
