import { randomBytes } from "node:crypto";
import { delay } from "@pintle/ai";
import { PROTOCOL_VERSION, SERVER_CAPABILITIES, type ServerLimits, type ServerState } from "@pintle/wire";
import { GATEWAY_CAPABILITIES, type ServerReadyFrame } from "@pintle/wire/gateway";
import type { Cluster } from "./cluster/cluster.ts";
import type { HeldSession } from "./cluster/heartbeat.ts";
import { HostConnection } from "./commands/host-connection.ts";
import { type HostSettings, unboundSettings } from "./commands/host-settings.ts";
import { openSession } from "./commands/open-session.ts";
import type { PermissionBounds } from "./commands/permission-bounds.ts";
import { Server } from "./commands/server.ts";
import { serverState } from "./commands/server-state.ts";
import { CommandError } from "./frames/command-error.ts";
import type { Host, HostPort, Hosts } from "./host.ts";
import { JobRunner } from "./jobs/job-runner.ts";
import { PageExport } from "./library/export-page.ts";
import { FileLibrary } from "./library/file-library.ts";
import { Librarian } from "./library/librarian.ts";
import type { Library } from "./library/library.ts";
import { Roots } from "./library/roots.ts";
import { StoredSessions } from "./library/stored-sessions.ts";
import type { Carrier } from "./nodes/entry/carrier.ts";
import type { CommandTraces } from "./sessions/command-traces.ts";
import type { LiveSession } from "./sessions/live-session.ts";
import type { OpenLog } from "./sessions/open-log.ts";
import { SessionTable } from "./sessions/session-table.ts";
import type { StoreFigures } from "./transports/web/metrics.ts";
import { CpuLimit, canLimitCpu } from "./workers/cpu-limit.ts";
import { memoryLimit } from "./workers/memory-limit.ts";
import { Watchdog } from "./workers/watchdog.ts";
import { WorkerPool } from "./workers/worker-pool.ts";

export interface GatewayOptions {
  /** The program and what stands before `--mode rpc`. */
  command: readonly string[];
  /** Flags of every engine. */
  workerArgs?: readonly string[];
  /** Of every engine. */
  env: Readonly<Record<string, string | undefined>>;
  version: string;
  limits: ServerLimits;
  /** Directories that hosts may name; a session without one lives in the first. */
  roots: readonly string[];
  /** Names of variables that hosts may set. */
  allowedEnv?: readonly string[];
  /** Whether hosts may change stored keys. */
  allowKeys?: boolean;
  /** Undefined: hosts decide, as the user whose program they are. */
  permissions?: PermissionBounds | undefined;
  /** Which settings hosts may give to a session. Undefined: all of them. */
  hostSettings?: HostSettings | undefined;
  ringFrames: number;
  ringBytes: number;
  /** A session without a run and without a host is ended after so long. */
  idleMs: number;
  /** A worker that does not answer for so long is killed. */
  unresponsiveMs: number;
  /** How long runs may go on when the server is about to end. */
  drainMs: number;
  prewarm?: boolean;
  /** Memory of one worker and what it starts, each; where the system can limit it. */
  workerMemoryBytes?: number | undefined;
  /** CPU time that one run and its tools may use; where the system reports it. */
  workerCpuSeconds?: number | undefined;
  /** The nodes and the database that it shares sessions with; without one they are files of this machine. */
  cluster?: Cluster | undefined;
  /** Jobs that run here at once; with a cluster only. */
  jobSlots?: number;
  /** The way to the sessions of other nodes; without one they are refused. */
  carrier?: Carrier | undefined;
  /** Spans of commands that begin runs; undefined if nothing is traced. */
  traces?: CommandTraces | undefined;
  log(text: string): void;
}

/** Many sessions for many hosts. */
export interface Gateway extends Hosts {
  /** Of its cursors. */
  readonly epoch: string;
  state(): ServerState;
  /** Whether it takes sessions: it is not about to end, and its store answers. Never rejects. */
  isReady(): Promise<boolean>;
  /** Undefined without a store. Never rejects. */
  storeFigures(): Promise<StoreFigures | undefined>;
  /** The page of a stored session; undefined: there is none with this id that hosts may see. */
  exportPage(sessionId: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** No session is opened and no prompt taken any more; resolves when the runs are over, or were aborted, and all workers are gone. */
  drain(): Promise<void>;
  /** The same at once: runs are aborted. */
  close(): Promise<void>;
}

function fileLibrary(pool: WorkerPool, roots: Roots): Library {
  const librarian = new Librarian(() =>
    pool.startHelper({ cwd: roots.first, args: ["--no-session", "--no-mcp"], env: {} }),
  );
  return new FileLibrary(librarian, new StoredSessions(librarian, roots));
}

/** Its log continues what the node before has not finished. */
async function resume(server: Server, session: string): Promise<void> {
  await openSession(server, { session });
}

function heldSession(live: LiveSession, log: OpenLog): HeldSession {
  return {
    ...{ sessionId: live.id, fence: log.fence, status: live.status },
    extended(sentAt) {
      log.extended(sentAt);
      live.confirmLease();
    },
  };
}

export function createGateway(options: GatewayOptions): Gateway {
  const { command, env, version, limits, workerArgs = [], prewarm = false, cluster, log } = options;
  const epoch = randomBytes(8).toString("hex");
  const roots = new Roots(options.roots);
  const memory = memoryLimit(options.workerMemoryBytes);
  if (options.workerMemoryBytes !== undefined && memory.bytes === undefined) {
    log("the memory of engines is not limited: this system offers no way to do so");
  }
  const cpuLimit = canLimitCpu() ? options.workerCpuSeconds : undefined;
  if (options.workerCpuSeconds !== undefined && cpuLimit === undefined) {
    log("the CPU time of runs is not limited: this system does not report it");
  }
  const pool = new WorkerPool({
    command: memory.within(command),
    commonArgs: workerArgs,
    env,
    maxWorkers: limits.maxWorkers,
    prewarm,
    evict: () => table.evict(),
  });
  const table: SessionTable = new SessionTable({
    epoch,
    ring: { frames: options.ringFrames, bytes: options.ringBytes },
    idleMs: options.idleMs,
    traces: options.traces,
    pool,
    logs: { begin: (session) => library.begin(session), checkNeeds: (needs) => library.checkNeeds(needs) },
    reportFault: log,
    hasOtherNode: async (needs) => (await options.carrier?.hasOther(needs)) ?? false,
    onClosed: (sessionId) => server.forget(sessionId),
  });
  const library: Library = cluster ? cluster.library({ roots, log }) : fileLibrary(pool, roots);
  const pages = new PageExport({ command, env });
  const server = new Server({
    version,
    epoch,
    limits,
    workerLimits: {
      ...(memory.bytes !== undefined && { memoryBytes: memory.bytes }),
      ...(cpuLimit !== undefined && { cpuSeconds: cpuLimit }),
    },
    allowedEnv: options.allowedEnv ?? [],
    allowKeys: options.allowKeys ?? false,
    permissions: options.permissions,
    hostSettings: options.hostSettings ?? unboundSettings,
    table,
    pool,
    library,
    roots,
    home: env.HOME,
    carrier: options.carrier,
    jobs: cluster?.jobs,
    log,
  });
  const watchdog = new Watchdog({
    processes: () => pool.processes(),
    unresponsiveMs: options.unresponsiveMs,
    kill(process) {
      log(`an engine (process ${process.pid}) has not answered for ${options.unresponsiveMs} ms and is killed`);
      process.kill();
    },
  });
  const limiter =
    cpuLimit === undefined
      ? undefined
      : new CpuLimit({ seconds: cpuLimit, sessions: () => table.all().map(({ live }) => live) });
  const ready: ServerReadyFrame = {
    type: "server_ready",
    version,
    protocolVersion: PROTOCOL_VERSION,
    epoch,
    capabilities: [...new Set([...Object.keys(GATEWAY_CAPABILITIES), ...Object.keys(SERVER_CAPABILITIES)])],
    limits,
    ...(cluster && { node: cluster.nodes.self.name }),
  };
  const heartbeat = cluster?.beat({
    sessions: () => table.all().flatMap(({ live, log }) => (log ? [heldSession(live, log)] : [])),
    workers: () => pool.size,
    isDraining: () => server.isDraining,
    lost(sessionId, node) {
      log(`another node has taken the session ${sessionId}`);
      server.lose(sessionId, node);
    },
    resume: cluster.options.onTakeover === "continue" ? (session) => resume(server, session) : undefined,
    log,
  });
  const close = async () => {
    server.isDraining = true;
    await runner?.leave();
    await Promise.all(table.all().map(({ live }) => table.handOver(live.id)));
    await pool.close();
    await library.close();
    watchdog.stop();
    limiter?.stop();
    heartbeat?.stop();
    options.carrier?.close();
    await cluster?.close();
  };
  const accept = (host: Host): HostPort => {
    const connection = new HostConnection(host, server);
    server.joined(connection);
    host.send({ json: JSON.stringify(ready) });
    return connection;
  };
  const { jobSlots = 0 } = options;
  const runner =
    cluster &&
    new JobRunner({
      ...{ table: cluster.jobs, slots: jobSlots, beatMs: cluster.options.heartbeatMs, accept, log },
      room: () => limits.maxWorkers - pool.size,
    });
  runner?.start();
  return {
    epoch,
    accept,
    state: () => serverState(server),
    isReady: async () => !server.isDraining && ((await cluster?.meter.isReady()) ?? true),
    storeFigures: async () => cluster?.meter.figures(),
    async exportPage(sessionId) {
      if (/[/\\]|\.jsonl$/.test(sessionId)) return undefined; // an id, never a path
      try {
        const session = await library.resolve(sessionId);
        return await library.withFile(session, (sessionFile) => pages.page({ sessionFile, cwd: session.cwd }));
      } catch (error) {
        if (error instanceof CommandError) return undefined;
        throw error;
      }
    },
    async drain() {
      server.isDraining = true;
      const isOver = new AbortController();
      const over = Promise.all([table.settled(), runner?.settled()]);
      await Promise.race([over, delay(options.drainMs, isOver.signal)]);
      isOver.abort();
      await close();
    },
    close,
  };
}
