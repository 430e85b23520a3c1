import { type Batch, storable } from "@pintle/gateway/cluster";
import { type Database, StoreError } from "../database/database.ts";
import type { Lease } from "../leases.ts";
import { writeStatement } from "./write-statement.ts";

/** Why a write failed: another node has taken the lease. */
export class LeaseLost extends Error {}

interface Outcome {
  held: number;
  written: number;
  writes: string | null;
}

/** A session as stored in the table. */
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
/** A commit that takes longer is retried; a large one may take longer. */
const DEADLINE_MS = 10_000;
const CHARS_PER_MS = 500;

/** The log of all sessions: entries, accepted commands and the columns for lists, written under a lease. */
export class LogTable {
  readonly #database: Database;
  readonly #nodeId: string;

  constructor(database: Database, nodeId: string) {
    this.#database = database;
    this.#nodeId = nodeId;
  }

  /** Resolves when the batch is committed, by this or an earlier attempt. Rejects with LeaseLost or StoreError. */
  async write({ sessionId, fence }: Lease, writes: number, batch: Batch): Promise<void> {
    const { text, values } = writeStatement({ sessionId, fence }, this.#nodeId, writes, batch);
    const deadlineMs = DEADLINE_MS + batch.chars / CHARS_PER_MS;
    const [outcome] = await this.#database.query<Outcome>(text, values, deadlineMs);
    if (!outcome || outcome.held === 0) throw new LeaseLost(`Another node has taken the session ${sessionId}`);
    if (outcome.written === 1 || Number(outcome.writes) === writes + 1) return;
    // The earlier attempt is being committed right now; the next check sees it.
    if (Number(outcome.writes) === writes)
      throw new StoreError("An earlier commit is in progress", { isPassing: true });
    throw new LeaseLost(`The log of the session ${sessionId} has a different length than this node expects`);
  }

  /** Inserts a new session together with its lease. */
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

  async lastEntryId({ sessionId, born, position }: SessionRecord): Promise<string | undefined> {
    const [row] = await this.#database.query<{ entryId: string }>(
      `SELECT entry_id AS "entryId" FROM pintle.entries WHERE session_id = $1 AND born = $2::date AND position = $3`,
      [sessionId, born, position],
    );
    return row?.entryId;
  }

  /**
   * Returns the lines of a session in order. A column that is cast to text needs another name, because ORDER BY would otherwise
   * sort by the text.
   */
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
