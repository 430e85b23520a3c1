import type { Library } from "../library/library.ts";
import type { Roots } from "../library/roots.ts";
import type { Carrier } from "../nodes/entry/carrier.ts";
import { ServeError } from "../serve-error.ts";
import { type CarrierCall, clusterCarrier } from "./cluster-carrier.ts";
import { type Patience, untilItAnswers } from "./database/await-database.ts";
import { BunDatabase } from "./database/bun-database.ts";
import { type Database, StoreError } from "./database/database.ts";
import { migrate } from "./database/migrate.ts";
import { shownStore } from "./database/store-url.ts";
import { Heartbeat, type NodeWork } from "./heartbeat.ts";
import { PostgresJobs } from "./jobs/postgres-jobs.ts";
import { Leases } from "./leases.ts";
import { ClusterLibrary } from "./library/cluster-library.ts";
import { Blobs } from "./log/blobs.ts";
import { ClusterNodes, type NodeFacts } from "./nodes.ts";
import { StoreMeter } from "./store-figures.ts";

export interface ClusterOptions extends NodeFacts {
  /** `postgres://…`; never printed. */
  url: string;
  leaseMs: number;
  heartbeatMs: number;
  /** How long a run may go on while the database is away. */
  storeTimeoutMs: number;
  onTakeover: "report" | "continue";
  /** Ends the wait for a database that is not there when the node starts. */
  ending?: AbortSignal | undefined;
  /** The address leads to a pooler in transaction mode. */
  isPooled?: boolean;
  /** Where notifications are received, past a pooler; never printed. */
  listenUrl?: string | undefined;
  /** Connections to the database. */
  connections: number;
  /** Where this start of the node has the session files of its workers. */
  sessionDir: string;
  /** Where engines keep images. */
  blobDir: string;
}

/** Several gateways on one database: what they share. */
export interface Cluster {
  readonly options: ClusterOptions;
  readonly database: Database;
  readonly nodes: ClusterNodes;
  readonly leases: Leases;
  /** The sessions of the log. */
  library(parts: { roots: Roots; log(text: string): void }): Library;
  /** From now on the others hear that this node is alive. */
  beat(work: NodeWork): { stop(): void };
  readonly jobs: PostgresJobs;
  readonly meter: StoreMeter;
  /** An image of any session, by the digest of its content; undefined: there is none. Rejects with StoreError. */
  readBlob(digest: string): Promise<Uint8Array | undefined>;
  /** The way to the sessions of the other nodes. Throws ServeError for a token file that cannot be used. */
  carrier(options: CarrierCall): Carrier;
  /** Leaves the others, who find its sessions without an owner. */
  close(): Promise<void>;
}

/** A statement that takes longer is tried again on another connection. */
const DEADLINE_MS = 10_000;

/**
 * Makes the database ready and joins the other nodes; one that is away is waited for as long as a run would be. Rejects with
 * ServeError.
 */
export async function joinCluster(
  options: ClusterOptions,
  report: (text: string) => void = () => {},
): Promise<Cluster> {
  const { url, connections, isPooled, listenUrl, leaseMs, storeTimeoutMs, ending } = options;
  const database = new BunDatabase({ url, connections, isPooled, listenUrl, deadlineMs: DEADLINE_MS });
  const nodes = new ClusterNodes(database, options, leaseMs);
  try {
    const patience: Patience = {
      ...{ timeoutMs: storeTimeoutMs, signal: ending },
      waiting: (reason) => report(`${shownStore(url)}: ${reason}; waiting for it`),
    };
    await untilItAnswers(async () => {
      await migrate(database);
      await nodes.join();
    }, patience);
  } catch (error) {
    await database.close();
    throw error instanceof StoreError ? new ServeError(`${shownStore(url)}: ${error.message}`) : error;
  }
  const leases = new Leases(database, options.nodeId, leaseMs);
  const meter = new StoreMeter(database);
  const parts = { ...options, database, nodes, leases, meter };
  return {
    ...{ options, database, nodes, leases, meter },
    library: ({ roots, log }) => new ClusterLibrary({ ...parts, roots, log }),
    beat: (work) => new Heartbeat(parts, work),
    jobs: new PostgresJobs(database, options, leaseMs),
    readBlob: (digest) => new Blobs(database, options.blobDir).find(digest),
    carrier: (call) => clusterCarrier(parts, call),
    async close() {
      await nodes.leave().catch(() => {}); // a database that is away finds out by the time
      await database.close();
    },
  };
}
