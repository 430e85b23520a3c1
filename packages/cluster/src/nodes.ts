import { type Database, StoreError } from "./database/database.ts";

/** This node, as other nodes see it. */
export interface NodeFacts {
  /** Identifies this start: a node that is restarted gets another id. */
  nodeId: string;
  /** The name for people (`serve.node`). */
  name: string;
  /** The address at which other nodes reach it, or null if they cannot. */
  address: string | null;
  labels: readonly string[];
  version: string;
  maxWorkers: number;
}

/** A node whose last heartbeat is within its lease. */
export interface ClusterNode {
  nodeId: string;
  name: string;
  address: string | null;
  labels: readonly string[];
  isDraining: boolean;
  workers: number;
  maxWorkers: number;
}

const COLUMNS = `node_id AS "nodeId", name, address, to_json(labels)::text AS labels, is_draining AS "isDraining", workers,
  max_workers AS "maxWorkers"`;

type Row = Omit<ClusterNode, "labels"> & { labels: string };

/** The nodes that are alive, by the database's clock. */
export class ClusterNodes {
  readonly self: NodeFacts;
  readonly #database: Database;
  readonly #heartbeats: Database;
  readonly #leaseMs: number;
  #address: string | null;
  #hasLeft = false;

  /** `heartbeats` has a connection of its own. */
  constructor(database: Database, self: NodeFacts, leaseMs: number, heartbeats = database) {
    this.#database = database;
    this.#heartbeats = heartbeats;
    this.self = self;
    this.#address = self.address;
    this.#leaseMs = leaseMs;
  }

  async join(): Promise<void> {
    const { nodeId, name, labels, version, maxWorkers } = this.self;
    await this.#database.query(
      `INSERT INTO pintle.nodes (node_id, name, address, labels, version, max_workers, expires_at)
       VALUES ($1, $2, $3, ARRAY(SELECT json_array_elements_text($4::text::json)), $5, $6, ${inFuture("$7")})
       ON CONFLICT (node_id) DO UPDATE SET address = excluded.address, expires_at = excluded.expires_at`,
      [nodeId, name, this.#address, JSON.stringify(labels), version, maxWorkers, this.#leaseMs],
    );
  }

  /** Records that the node is alive, its address and its load. A node that the others have forgotten joins again. */
  async beat({ workers, isDraining }: { workers: number; isDraining: boolean }): Promise<void> {
    const known = await this.#heartbeats.query(
      `UPDATE pintle.nodes SET expires_at = ${inFuture("$2")}, address = $3, workers = $4, is_draining = $5
       WHERE node_id = $1 RETURNING 1`,
      [this.self.nodeId, this.#leaseMs, this.#address, workers, isDraining],
    );
    if (known.length === 0 && !this.#hasLeft) await this.join();
  }

  /**
   * Records the address at which other nodes reach it, which is known once it listens. If the database is unavailable at that
   * moment, a heartbeat records it.
   */
  async announce(address: string): Promise<void> {
    this.#address = address;
    await this.join().catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
    });
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#database.query("DELETE FROM pintle.nodes WHERE node_id = $1", [this.self.nodeId]);
  }

  async alive(): Promise<ClusterNode[]> {
    const rows = await this.#database.query<Row>(
      `SELECT ${COLUMNS} FROM pintle.nodes WHERE expires_at > clock_timestamp() ORDER BY node_id`,
    );
    return rows.map(toNode);
  }

  /** Returns the nodes that have all the labels, the least busy first. */
  async fitting(needs: readonly string[]): Promise<ClusterNode[]> {
    const rows = await this.#database.query<Row>(
      `SELECT ${COLUMNS} FROM pintle.nodes
       WHERE expires_at > clock_timestamp() AND NOT is_draining
         AND labels @> ARRAY(SELECT json_array_elements_text($1::text::json))
       ORDER BY workers::float8 / greatest(max_workers, 1), node_id`,
      [JSON.stringify(needs)],
    );
    return rows.map(toNode);
  }

  /** Returns whether this node can serve a session with these needs. */
  fits(needs: readonly string[]): boolean {
    return needs.every((label) => this.self.labels.includes(label));
  }
}

/** SQL for a time this many milliseconds from now, by the database's clock. */
export function inFuture(milliseconds: string): string {
  return `clock_timestamp() + ${milliseconds}::float8 * interval '1 millisecond'`;
}

function toNode({ labels, ...row }: Row): ClusterNode {
  return { ...row, labels: JSON.parse(labels) as string[] };
}
