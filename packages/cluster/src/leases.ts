import type { Database } from "./database/database.ts";
import { inFuture } from "./nodes.ts";

/** The node that currently serves a session. */
export interface SessionOwner {
  nodeId: string;
  /** For people. Null if the node is no longer in the table of nodes and its lease is expiring. */
  name: string | null;
  /** The address at which other nodes reach it, or null if they cannot. */
  address: string | null;
  fence: number;
}

/** Finds the owner of a session. A session with an expired lease has none: any node may take it. */
export interface SessionOwners {
  find(sessionId: string): Promise<SessionOwner | undefined>;
}

/** The right to write a session. Taking it raises the fence, and appends with lower fences are refused from then on. */
export interface Lease {
  sessionId: string;
  fence: number;
}

export interface TakenLease extends Lease {
  /** When the statement that took it was sent, as `performance.now()`. */
  takenAt: number;
  /** True if the previous owner has not released it. */
  wasHeld: boolean;
  /** True if the previous owner shut down in the middle of a run. */
  wasHandedOver: boolean;
}

/** The `status` of a lease whose node shut down in the middle of a run. */
const HANDED_OVER = "handed_over";

interface FenceRow {
  fence: string;
}

/** The table of leases, as this node uses it. All times are the database's. */
export class Leases implements SessionOwners {
  readonly #database: Database;
  readonly #heartbeats: Database;
  readonly #nodeId: string;
  readonly #leaseMs: number;
  /** Sessions that are being opened, which takes longer the longer their log is. */
  readonly #opening = new Map<string, Lease>();

  /** `heartbeats` has a connection of its own, so that leases are extended even if many statements wait in `database`. */
  constructor(database: Database, nodeId: string, leaseMs: number, heartbeats = database) {
    this.#database = database;
    this.#heartbeats = heartbeats;
    this.#nodeId = nodeId;
    this.#leaseMs = leaseMs;
  }

  async find(sessionId: string): Promise<SessionOwner | undefined> {
    const [row] = await this.#database.query<
      { nodeId: string; name: string | null; address: string | null } & FenceRow
    >(
      `SELECT leases.node_id AS "nodeId", nodes.name, nodes.address, fence
       FROM pintle.leases LEFT JOIN pintle.nodes USING (node_id)
       WHERE session_id = $1 AND node_id IS NOT NULL AND leases.expires_at > clock_timestamp()`,
      [sessionId],
    );
    return row && { ...row, fence: Number(row.fence) };
  }

  /** Takes a lease. Returns undefined if another node has an unexpired one. Renews a lease of this node. */
  async take(sessionId: string): Promise<TakenLease | undefined> {
    const takenAt = performance.now();
    const [row] = await this.#database.query<FenceRow & Pick<TakenLease, "wasHeld" | "wasHandedOver">>(
      `WITH before AS MATERIALIZED (SELECT node_id, status FROM pintle.leases WHERE session_id = $1)
       INSERT INTO pintle.leases AS lease (session_id, node_id, expires_at) VALUES ($1, $2, ${inFuture("$3")})
       ON CONFLICT (session_id) DO UPDATE
         SET node_id = excluded.node_id, fence = lease.fence + 1, expires_at = excluded.expires_at, status = 'idle'
         WHERE lease.node_id IS NULL OR lease.node_id = excluded.node_id OR lease.expires_at <= clock_timestamp()
       RETURNING fence, EXISTS (SELECT 1 FROM before WHERE node_id IS NOT NULL) AS "wasHeld",
         EXISTS (SELECT 1 FROM before WHERE status = '${HANDED_OVER}') AS "wasHandedOver"`,
      [sessionId, this.#nodeId, this.#leaseMs],
    );
    if (!row) return undefined;
    const lease = { sessionId, fence: Number(row.fence) };
    this.#opening.set(sessionId, lease);
    return { ...lease, takenAt, wasHeld: row.wasHeld, wasHandedOver: row.wasHandedOver };
  }

  /** The session is open. From now on its owner confirms the lease. */
  opened(sessionId: string): void {
    this.#opening.delete(sessionId);
  }

  /** Extends all leases at once. Returns those that are still this node's. */
  async extend(open: readonly (Lease & { status: string })[]): Promise<Set<string>> {
    const held = [...open, ...[...this.#opening.values()].map((lease) => ({ ...lease, status: "idle" }))];
    const rows = await this.#heartbeats.query<{ session_id: string }>(
      `UPDATE pintle.leases AS lease SET expires_at = ${inFuture("$2")}, status = held.status
       FROM json_to_recordset($3::text::json) AS held("sessionId" text, fence bigint, status text)
       WHERE lease.session_id = held."sessionId" AND lease.fence = held.fence AND lease.node_id = $1
       RETURNING lease.session_id`,
      [this.#nodeId, this.#leaseMs, JSON.stringify(held)],
      this.#leaseMs / 3, // a late extension is as bad as none
    );
    return new Set(rows.map(({ session_id }) => session_id));
  }

  /**
   * Returns a few sessions that a node with these labels may take because their node was lost in the middle of a run, the
   * longest waiting first. `except` names sessions that this node could not open.
   */
  async abandoned(labels: readonly string[], except: readonly string[]): Promise<string[]> {
    const rows = await this.#database.query<{ session_id: string }>(
      `SELECT session_id FROM pintle.leases AS lease JOIN pintle.sessions AS session USING (session_id)
       WHERE lease.node_id IS NOT NULL AND lease.expires_at < statement_timestamp() AND session.deleted_at IS NULL
         AND lease.session_id <> ALL (ARRAY(SELECT json_array_elements_text($2::text::json)))
         AND session.needs <@ ARRAY(SELECT json_array_elements_text($1::text::json))
         AND EXISTS (SELECT 1 FROM pintle.commands WHERE session_id = lease.session_id AND ended_at IS NULL)
         -- A job that lost its node begins again, in another session.
         AND NOT EXISTS (SELECT 1 FROM pintle.job_attempts WHERE job_attempts.session_id = lease.session_id)
       ORDER BY lease.expires_at LIMIT 4`,
      [JSON.stringify(labels), JSON.stringify(except)],
    );
    return rows.map(({ session_id }) => session_id);
  }

  /**
   * Ends the lease of a session whose node shuts down during a run. The next owner finds a run to continue, as after a crash,
   * and a note that the run did not cause the loss. Raises the fence, so that a heartbeat in flight does not extend the lease.
   */
  async handOver({ sessionId, fence }: Lease): Promise<void> {
    this.#opening.delete(sessionId);
    await this.#database.query(
      `UPDATE pintle.leases SET expires_at = clock_timestamp(), status = '${HANDED_OVER}', fence = fence + 1
       WHERE session_id = $1 AND node_id IS NOT DISTINCT FROM $2 AND fence = $3`,
      [sessionId, this.#nodeId, fence],
    );
  }

  /** Returns a lease that was taken briefly. The next owner finds the session unchanged. */
  async putBack(lease: TakenLease): Promise<void> {
    if (lease.wasHandedOver) return this.handOver(lease);
    if (!lease.wasHeld) return this.release(lease);
    const { sessionId, fence } = lease;
    this.#opening.delete(sessionId);
    await this.#database.query(
      `UPDATE pintle.leases SET expires_at = clock_timestamp(), fence = fence + 1
       WHERE session_id = $1 AND node_id IS NOT DISTINCT FROM $2 AND fence = $3`,
      [sessionId, this.#nodeId, fence],
    );
  }

  /** Releases the lease for any node. The fence stays, so that the next owner's is higher. */
  async release({ sessionId, fence }: Lease): Promise<void> {
    this.#opening.delete(sessionId);
    await this.#database.query(
      `UPDATE pintle.leases SET node_id = NULL, expires_at = clock_timestamp(), status = 'stored'
       WHERE session_id = $1 AND node_id IS NOT DISTINCT FROM $2 AND fence = $3`, // found by its session, not among the node's leases
      [sessionId, this.#nodeId, fence],
    );
  }
}
