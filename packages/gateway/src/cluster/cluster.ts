import type { Host, HostPort } from "../host.ts";
import type { Roots } from "../store/roots.ts";
import type { SessionStore } from "../store/session-store.ts";
import type { JobQueue } from "./job-queue.ts";
import type { StoreFigures } from "./store-figures.ts";

/** A session that this node has open, with the lease under which it writes the session. */
export interface LeasedSession {
  sessionId: string;
  fence: number;
  status: string;
  /** Called when the lease was extended by a statement that was sent at this time. */
  extended(sentAt: number): void;
}

/** The work of this node, as the cluster sees it. */
export interface NodeWork {
  sessions(): LeasedSession[];
  workers(): number;
  isDraining(): boolean;
  /** Called when another node has taken the session. */
  lost(sessionId: string, node: string | undefined): void;
  /** Opens a session that another node left in the middle of a run. Rejects if this node cannot. */
  resume(sessionId: string): Promise<void>;
  /** How many jobs run here at the same time. */
  jobSlots: number;
  /** Returns how many engines could be started now. */
  room(): number;
  /** Connects the host of a job. */
  accept(host: Host): HostPort;
  log(text: string): void;
}

/** The work that this node does for the cluster while it is a member: heartbeats and jobs. */
export interface RunningNode {
  /** Stops taking jobs. Resolves when the running ones have ended. */
  jobsSettled(): Promise<void>;
  /** Puts the running jobs back into the queue. */
  leaveJobs(): Promise<void>;
  /** Stops the heartbeats. */
  stop(): void;
}

/** The nodes that share sessions in a database, as a gateway uses them. packages/cluster implements it. */
export interface Cluster {
  /** The name of this node, for users. */
  readonly nodeName: string;
  readonly jobs: JobQueue;
  /** Returns the store of the sessions that all nodes share. */
  store(parts: { roots: Roots; log(text: string): void }): SessionStore;
  start(work: NodeWork): RunningNode;
  /** Whether the database answers and accepts writes. Never rejects. */
  isReady(): Promise<boolean>;
  /** Returns the metrics of the database. Never rejects. */
  figures(): Promise<StoreFigures>;
  /** Leaves the cluster. Other nodes can then take the sessions of this one. */
  close(): Promise<void>;
}
