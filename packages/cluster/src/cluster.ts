import { dirname } from "node:path";
import { errorText } from "@pintle/ai";
import {
  type Cluster,
  type NodeSocket,
  type NodeWork,
  type Relay,
  type RunningNode,
  ServeError,
} from "@pintle/gateway/cluster";
import { clusterRelay, type RelayCall } from "./cluster-relay.ts";
import { type Patience, untilItAnswers } from "./database/await-database.ts";
import { BunDatabase } from "./database/bun-database.ts";
import { type Database, StoreError } from "./database/database.ts";
import { migrate } from "./database/migrate.ts";
import { shownStore } from "./database/store-url.ts";
import { Heartbeat, type HeartbeatParts } from "./heartbeat.ts";
import { JobRunner } from "./jobs/job-runner.ts";
import { PostgresJobs } from "./jobs/postgres-jobs.ts";
import { Leases } from "./leases.ts";
import { Blobs } from "./log/blobs.ts";
import { ClusterNodes, type NodeFacts } from "./nodes.ts";
import { HEAD_BYTES, NODE_PATH } from "./relay/link-message.ts";
import { RelayedHosts } from "./relay/owner/relayed-hosts.ts";
import { ClusterStore } from "./store/cluster-store.ts";
import { removeLeftovers } from "./store/leftover-files.ts";
import { StoreMeter } from "./store-meter.ts";

export interface ClusterOptions extends NodeFacts {
  /** `postgres://…`; never printed. */
  url: string;
  leaseMs: number;
  heartbeatMs: number;
  /** How long a run may continue while the database is unavailable. */
  storeTimeoutMs: number;
  onTakeover: "report" | "continue";
  /** Ends the wait for a database that is unavailable when the node starts. */
  ending?: AbortSignal | undefined;
  /** True if the address leads to a pooler in transaction mode. */
  isPooled?: boolean;
  /** The address for notifications, which must bypass a pooler; never printed. */
  listenUrl?: string | undefined;
  /** Maximum number of connections to the database. */
  connections: number;
  /** Directory of this node start for the session files of its workers. */
  sessionDir: string;
  /** Directory in which engines keep images. */
  blobDir: string;
}

/** A joined cluster, as the node's gateway and the start of the server use it. */
export interface JoinedCluster extends Cluster {
  readonly options: ClusterOptions;
  readonly database: Database;
  readonly nodes: ClusterNodes;
  readonly leases: Leases;
  readonly jobs: PostgresJobs;
  /** Accepts the links of other nodes. */
  readonly nodeSocket: NodeSocket;
  /** Returns an image of any session, by the digest of its content, or undefined. Rejects with StoreError. */
  readBlob(digest: string): Promise<Uint8Array | undefined>;
  /** Returns the relay to the sessions of the other nodes. Throws ServeError for an unusable token file. */
  relay(call: RelayCall): Relay;
}

/** A statement that takes longer is retried on another connection. */
const DEADLINE_MS = 10_000;

/**
 * Prepares the database and joins the other nodes. Waits for an unavailable database as long as a run would. Rejects with
 * ServeError.
 */
export async function joinCluster(
  options: ClusterOptions,
  report: (text: string) => void = () => {},
): Promise<JoinedCluster> {
  const { url, connections, isPooled, listenUrl, leaseMs, storeTimeoutMs, ending } = options;
  const database = new BunDatabase({ url, connections, isPooled, listenUrl, deadlineMs: DEADLINE_MS });
  const heartbeats = new BunDatabase({ url, connections: 1, isPooled, deadlineMs: DEADLINE_MS });
  const nodes = new ClusterNodes(database, options, leaseMs, heartbeats);
  try {
    const patience: Patience = {
      timeoutMs: storeTimeoutMs,
      signal: ending,
      waiting: (reason) => report(`${shownStore(url)}: ${reason}; waiting for it`),
    };
    await untilItAnswers(async () => {
      await migrate(database);
      await nodes.join();
    }, patience);
    await tidyFolder(options, nodes, report);
  } catch (error) {
    await database.close();
    await heartbeats.close();
    throw error instanceof StoreError ? new ServeError(`${shownStore(url)}: ${error.message}`) : error;
  }
  const leases = new Leases(database, options.nodeId, leaseMs, heartbeats);
  const meter = new StoreMeter(database);
  const jobs = new PostgresJobs(database, options, leaseMs);
  const parts = { ...options, database, nodes, leases, meter };
  return {
    options,
    database,
    nodes,
    leases,
    jobs,
    nodeName: options.name,
    nodeSocket: acceptLinks(options.nodeId),
    store: ({ roots, log }) => new ClusterStore({ ...parts, roots, log }),
    start: (work) => startNode({ ...parts, jobs }, work),
    isReady: () => meter.isReady(),
    figures: () => meter.figures(),
    readBlob: (digest) => new Blobs(database, options.blobDir).find(digest),
    relay: (call) => clusterRelay(parts, call),
    async close() {
      await nodes.leave().catch(() => {}); // without the database, this node's row expires
      await heartbeats.close();
      await database.close();
    },
  };
}

/** Starts this node's heartbeats, and takes jobs from the queue. */
function startNode(parts: HeartbeatParts & { jobs: PostgresJobs }, work: NodeWork): RunningNode {
  const heartbeat = new Heartbeat(parts, work);
  const { jobSlots: slots, room, accept, log } = work;
  const runner = new JobRunner({ table: parts.jobs, slots, room, accept, beatMs: parts.heartbeatMs, log });
  runner.start();
  return {
    jobsSettled: () => runner.settled(),
    leaveJobs: () => runner.leave(),
    stop: () => heartbeat.stop(),
  };
}

/** Files that cannot be removed stay; the node works without removing them. */
async function tidyFolder({ sessionDir, name }: ClusterOptions, nodes: ClusterNodes, report: (text: string) => void) {
  try {
    const alive = new Set((await nodes.alive()).map(({ nodeId }) => nodeId));
    removeLeftovers(sessionDir, name, alive);
  } catch (error) {
    report(`the session files of an earlier start stay in ${dirname(sessionDir)}: ${errorText(error)}`);
  }
}

/** Accepts the links of other nodes. `nodeId` identifies this node on them. */
export function acceptLinks(nodeId: string): NodeSocket {
  return {
    path: NODE_PATH,
    headBytes: HEAD_BYTES,
    open: (socket, { connections, ...server }) => new RelayedHosts(socket, connections, { ...server, nodeId }),
  };
}
