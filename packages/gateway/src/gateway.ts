import { randomBytes } from "node:crypto";
import { delay } from "@pintle/ai";
import { PROTOCOL_VERSION, SERVER_CAPABILITIES, type ServerLimits, type ServerState } from "@pintle/wire";
import { GATEWAY_CAPABILITIES, type ServerReadyFrame } from "@pintle/wire/gateway";
import type { Cluster, LeasedSession } from "./cluster/cluster.ts";
import type { Relay } from "./cluster/relay.ts";
import type { StoreFigures } from "./cluster/store-figures.ts";
import { HostConnection } from "./commands/host-connection.ts";
import { type HostSettings, unboundSettings } from "./commands/host-settings.ts";
import { openSession } from "./commands/open-session.ts";
import type { PermissionBounds } from "./commands/permission-bounds.ts";
import { Server } from "./commands/server.ts";
import { serverState } from "./commands/server-state.ts";
import { CommandError } from "./frames/command-error.ts";
import type { Host, HostPort, Hosts } from "./host.ts";
import type { CommandTraces } from "./sessions/command-traces.ts";
import type { LiveSession } from "./sessions/live-session.ts";
import type { OpenLog } from "./sessions/open-log.ts";
import { SessionTable } from "./sessions/session-table.ts";
import { PageExport } from "./store/export-page.ts";
import { FileStore } from "./store/file-store.ts";
import { Roots } from "./store/roots.ts";
import { SessionFinder } from "./store/session-finder.ts";
import type { SessionStore } from "./store/session-store.ts";
import { StoreEngine } from "./store/store-engine.ts";
import { CpuLimit, canLimitCpu } from "./workers/cpu-limit.ts";
import { memoryLimit } from "./workers/memory-limit.ts";
import { Watchdog } from "./workers/watchdog.ts";
import { WorkerPool } from "./workers/worker-pool.ts";

export interface GatewayOptions {
  /** The program and its arguments that come before `--mode rpc`. */
  command: readonly string[];
  /** Flags of every engine. */
  workerArgs?: readonly string[];
  /** The environment of every engine. */
  env: Readonly<Record<string, string | undefined>>;
  version: string;
  limits: ServerLimits;
  /** Directories that hosts may use; the first is the default for new sessions. */
  roots: readonly string[];
  /** Names of variables that hosts may set. */
  allowedEnv?: readonly string[];
  /** Whether hosts may change stored keys. */
  allowKeys?: boolean;
  /** Limits for the permissions that hosts grant; undefined if hosts act for the user and decide themselves. */
  permissions?: PermissionBounds | undefined;
  /** Which settings hosts may set for a session; all of them if undefined. */
  hostSettings?: HostSettings | undefined;
  /** `--strict-host`: answers mistakes of hosts as failures. */
  isHostStrict?: boolean;
  ringFrames: number;
  ringBytes: number;
  /** How long a session may have neither a run nor a host before its engine ends. */
  idleMs: number;
  /** How long tools of a lost connection wait for their host; with 0 or undefined they do not wait. */
  hostToolGraceMs?: number | undefined;
  /** How long a worker may be unresponsive before it is killed. */
  unresponsiveMs: number;
  /** How long runs may continue when the server is shutting down. */
  drainMs: number;
  prewarm?: boolean;
  /** Memory limit of each worker and of each process that it starts, where the system can enforce one. */
  workerMemoryBytes?: number | undefined;
  /** CPU time limit of each run, including its tools, where the system reports CPU time. */
  workerCpuSeconds?: number | undefined;
  /** The nodes and the database that sessions are shared with; if undefined, sessions are files of this machine. */
  cluster?: Cluster | undefined;
  /** How many jobs run here at the same time; only used with a cluster. */
  jobSlots?: number;
  /** Routes to the sessions of other nodes; if undefined, commands for them are refused. */
  relay?: Relay | undefined;
  /** Creates spans of commands that start runs; undefined if nothing is traced. */
  traces?: CommandTraces | undefined;
  log(text: string): void;
}

/** Serves many sessions to many hosts. */
export interface Gateway extends Hosts {
  /** The epoch of its cursors. */
  readonly epoch: string;
  state(): ServerState;
  /** Whether it accepts sessions: it is not draining, and its store responds. Never rejects. */
  isReady(): Promise<boolean>;
  /** Resolves with undefined without a database. Never rejects. */
  storeFigures(): Promise<StoreFigures | undefined>;
  /** Resolves with the exported page of a stored session, or undefined if hosts may not see a session with this id. */
  exportPage(sessionId: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Stops accepting sessions and prompts. Resolves when all runs have ended or were aborted and no worker is left. */
  drain(): Promise<void>;
  /** Drains without waiting: aborts the runs. */
  close(): Promise<void>;
}

function fileStore(pool: WorkerPool, roots: Roots): SessionStore {
  const engine = new StoreEngine(() =>
    pool.startHelper({ cwd: roots.first, args: ["--no-session", "--no-mcp"], env: {} }),
  );
  return new FileStore(engine, new SessionFinder(engine, roots));
}

/** Opens a session whose previous node has not finished its run; the log of the session continues the run. */
async function resume(server: Server, session: string): Promise<void> {
  await openSession(server, { session });
}

function leasedSession(live: LiveSession, log: OpenLog): LeasedSession {
  return {
    sessionId: live.id,
    fence: log.fence,
    status: live.status,
    extended(sentAt) {
      log.extended(sentAt);
      live.commands.confirmLease();
    },
  };
}

export function createGateway(options: GatewayOptions): Gateway {
  const { command, env, version, limits, workerArgs = [], prewarm = false, cluster, log } = options;
  const epoch = randomBytes(8).toString("hex");
  const roots = new Roots(options.roots);
  const memory = memoryLimit(options.workerMemoryBytes);
  if (options.workerMemoryBytes !== undefined && memory.bytes === undefined) {
    log("the memory of engines is not limited: this system cannot enforce a limit");
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
    hostToolGraceMs: options.hostToolGraceMs,
    traces: options.traces,
    pool,
    logs: { begin: (session) => store.begin(session), checkNeeds: (needs) => store.checkNeeds(needs) },
    reportFault: log,
    hasOtherNode: async (needs) => (await options.relay?.hasOther(needs)) ?? false,
    onClosed: (sessionId) => server.forget(sessionId),
  });
  const store: SessionStore = cluster ? cluster.store({ roots, log }) : fileStore(pool, roots);
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
    isHostStrict: options.isHostStrict ?? false,
    table,
    pool,
    store,
    roots,
    home: env.HOME,
    relay: options.relay,
    jobs: cluster?.jobs,
    log,
  });
  const watchdog = new Watchdog({
    processes: () => pool.processes(),
    unresponsiveMs: options.unresponsiveMs,
    kill(process) {
      log(`an engine (process ${process.pid}) has not answered for ${options.unresponsiveMs} ms and was killed`);
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
    ...(cluster && { node: cluster.nodeName }),
  };
  const close = async () => {
    server.isDraining = true;
    await node?.leaveJobs();
    await Promise.all(table.all().map(({ live }) => table.handOver(live.id)));
    await pool.close();
    await store.close();
    watchdog.stop();
    limiter?.stop();
    node?.stop();
    options.relay?.close();
    await cluster?.close();
  };
  const accept = (host: Host): HostPort => {
    const connection = new HostConnection(host, server);
    server.joined(connection);
    host.send({ json: JSON.stringify(ready) });
    return connection;
  };
  const node = cluster?.start({
    sessions: () => table.all().flatMap(({ live, log }) => (log ? [leasedSession(live, log)] : [])),
    workers: () => pool.size,
    isDraining: () => server.isDraining,
    lost(sessionId, node) {
      log(`another node has taken the session ${sessionId}`);
      server.lose(sessionId, node);
    },
    resume: (session) => resume(server, session),
    jobSlots: options.jobSlots ?? 0,
    room: () => limits.maxWorkers - pool.size,
    accept,
    log,
  });
  return {
    epoch,
    accept,
    state: () => serverState(server),
    isReady: async () => !server.isDraining && ((await cluster?.isReady()) ?? true),
    storeFigures: async () => cluster?.figures(),
    async exportPage(sessionId) {
      if (/[/\\]|\.jsonl$/.test(sessionId)) return undefined; // accept only ids, never paths
      try {
        const session = await store.resolve(sessionId);
        return await store.withFile(session, (sessionFile) => pages.page({ sessionFile, cwd: session.cwd }));
      } catch (error) {
        if (error instanceof CommandError) return undefined;
        throw error;
      }
    },
    async drain() {
      server.isDraining = true;
      const isOver = new AbortController();
      const over = Promise.all([table.settled(), node?.jobsSettled()]);
      await Promise.race([over, delay(options.drainMs, isOver.signal)]);
      isOver.abort();
      await close();
    },
    close,
  };
}
