import { type Database, StoreError } from "./database/database.ts";

/** This node, as the others see it. */
export interface NodeFacts {
  /** Of this start: a node that is started again is another one. */
  nodeId: string;
  /** As people call it (`serve.node`). */
  name: string;
  /** Where other nodes reach it; null: they cannot. */
  address: string | null;
  labels: readonly string[];
  version: string;
  maxWorkers: number;
}

/** A node whose heartbeat is within its lease. */
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

  /** It is there, where, and how busy it is. One that was silent for so long that the others have forgotten it joins again. */
  async beat({ workers, isDraining }: { workers: number; isDraining: boolean }): Promise<void> {
    const known = await this.#heartbeats.query(
      `UPDATE pintle.nodes SET expires_at = ${inFuture("$2")}, address = $3, workers = $4, is_draining = $5
       WHERE node_id = $1 RETURNING 1`,
      [this.self.nodeId, this.#leaseMs, this.#address, workers, isDraining],
    );
    if (known.length === 0 && !this.#hasLeft) await this.join();
  }

  /** Where other nodes reach it, which is known when it listens. If the database is away just then, a heartbeat says it. */
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

  /** Those that have all the labels, the idlest first. */
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

  /** Whether this node can serve a session with these needs. */
  fits(needs: readonly string[]): boolean {
    return needs.every((label) => this.self.labels.includes(label));
  }
}

/** A time that many milliseconds ahead, by the database's clock. */
export function inFuture(milliseconds: string): string {
  return `clock_timestamp() + ${milliseconds}::float8 * interval '1 millisecond'`;
}

function toNode({ labels, ...row }: Row): ClusterNode {
  return { ...row, labels: JSON.parse(labels) as string[] };
}
