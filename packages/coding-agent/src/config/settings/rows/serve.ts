import { PERMISSION_MODES } from "@pintle/wire";
import { type SettingRows, setting } from "../setting-row.ts";
import {
  delayMs,
  flag,
  hostDeadline,
  integer,
  MAX_TIMER_SECONDS,
  NO_ITEMS,
  oneOf,
  strings,
  text,
} from "../settings-types.ts";

/** Settings of a session server. */
export const SERVE = {
  "serve.maxConnections": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Maximum number of connected hosts.",
  }),
  "serve.maxAuthFailures": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 10,
    project: "never",
    meaning:
      "Requests with a wrong token from one address, after which more are answered with 429 for a minute. The right token is always accepted. 0 disables the limit, for a server behind a proxy, where all requests come from one address.",
  }),
  "serve.maxWorkers": setting({
    type: integer({ min: 1, max: 10_000 }),
    default: 64,
    project: "never",
    meaning: "Maximum number of engine processes, and so of open sessions.",
  }),
  "serve.maxFrameBytes": setting({
    type: integer({ min: 1_000, max: 268_435_456 }),
    default: 33_554_432,
    project: "never",
    meaning: "Maximum size of one frame from a host.",
  }),
  "serve.maxQueuedBytes": setting({
    type: integer({ min: 1_000, max: 1_073_741_824 }),
    default: 33_554_432,
    project: "never",
    meaning: "Bytes that may wait for a slow host before it is disconnected with `lagged`.",
  }),
  "serve.maxInFlight": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Maximum number of unanswered commands per connection.",
  }),
  "serve.maxSessionsPerConnection": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Maximum number of sessions that one connection may attach to.",
  }),
  "serve.ringFrames": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 4096,
    project: "never",
    meaning: "Frames per session that are kept for hosts that reconnect.",
  }),
  "serve.ringBytes": setting({
    type: integer({ min: 0, max: 1_073_741_824 }),
    default: 8_388_608,
    project: "never",
    meaning: "Bytes of these frames; at most `serve.maxQueuedBytes`.",
  }),
  "serve.idleMs": setting({
    type: integer({ min: 1, max: MAX_TIMER_SECONDS * 1_000 }),
    default: 300_000,
    project: "never",
    meaning: "How long a session without a run, a host or a background process keeps its engine.",
  }),
  "serve.unresponsiveMs": setting({
    type: hostDeadline,
    default: 30_000,
    project: "never",
    meaning: "How long an engine may leave a `ping` unanswered before it is killed.",
  }),
  "serve.drainMs": setting({
    type: delayMs,
    default: 25_000,
    project: "never",
    meaning: "How long runs may continue during a shutdown before they are aborted.",
  }),
  "serve.prewarm": setting({
    type: flag,
    default: false,
    project: "never",
    meaning: "Keep one engine ready for the next new session.",
  }),
  "serve.workerMemoryMb": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 0,
    project: "never",
    meaning: "Memory limit of an engine in megabytes, where the system supports it (Linux); 0 means no limit.",
  }),
  "serve.workerCpuSeconds": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 0,
    project: "never",
    meaning:
      "CPU time that one run and its tools may use before the run is aborted, where the system reports it (Linux); 0 means no limit.",
  }),
  "serve.roots": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    meaning: "Directories that sessions may work in; empty means the directory in which the server was started.",
  }),
  "serve.allowOrigins": setting({
    type: strings,
    default: NO_ITEMS,
    project: "never",
    meaning:
      "Origins whose pages may use the server in addition to its own, such as `https://app.example.com`; `http://localhost:*` for any port on this machine. `--allow-origin` adds more.",
  }),
  "serve.hostToolGraceMs": setting({
    type: integer({ min: 0, max: 600_000 }),
    default: 30_000,
    project: "never",
    meaning: "How long host tools and their calls wait for a host that declared `toolGrace` and lost its connection.",
  }),
  "serve.env": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    meaning: "Names of variables that a host may set for a session.",
  }),
  "serve.node": setting({
    type: text,
    default: undefined,
    project: "never",
    meaning: "With `--store`: name of this node; defaults to the host name.",
  }),
  "serve.labels": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    meaning: "With `--store`: labels of this node. It opens only sessions whose `labels` it has.",
  }),
  "serve.leaseMs": setting({
    type: hostDeadline,
    default: 15_000,
    project: "never",
    meaning: "With `--store`: how long a node may be silent before another node may take its sessions.",
  }),
  "serve.heartbeatMs": setting({
    type: integer({ min: 100, max: 3_600_000 }),
    default: 3_000,
    project: "never",
    meaning: "With `--store`: how often a node renews its leases; limited to a third of `serve.leaseMs`.",
  }),
  "serve.storeTimeoutMs": setting({
    type: hostDeadline,
    default: 60_000,
    project: "never",
    meaning:
      "With `--store`: how long a run continues while the database is unavailable before it is aborted, and how long a start waits for the database.",
  }),
  "serve.storePooler": setting({
    type: flag,
    default: false,
    project: "never",
    meaning:
      "With `--store`: the address is a pooler in transaction mode, such as PgBouncer. pintle then uses no prepared statements and receives notifications only from `--store-listen`.",
  }),
  "serve.jobs": setting({
    type: integer({ min: 0, max: 10_000 }),
    default: 2,
    project: "never",
    meaning: "With `--store`: jobs that this node runs at once; 0 means none.",
  }),
  "serve.onTakeover": setting({
    type: oneOf("report", "continue"),
    default: "report",
    project: "never",
    meaning:
      "With `--store`: whether an unfinished run of a lost node is only reported (`run_interrupted`), or continues on the node that takes over the session.",
  }),
  "serve.maxPermissions": setting({
    type: oneOf(...PERMISSION_MODES),
    default: "workspace",
    isStrict: true,
    project: "never",
    meaning:
      "The most permissive preset that hosts of a server may choose, in addition to `permissions.mode`; with `full` they may also add allow rules and turn the sandbox off.",
  }),
  "serve.allowAlways": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Whether a host's `allow_always` is stored in the user's settings; otherwise it applies to the session.",
  }),
  "serve.allowKeys": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Whether hosts may store and remove API keys.",
  }),
} satisfies SettingRows;
