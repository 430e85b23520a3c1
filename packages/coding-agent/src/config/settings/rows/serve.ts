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

/** A server of sessions. */
export const SERVE = {
  "serve.maxConnections": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Hosts that may be connected to `pintle serve` at once.",
  }),
  "serve.maxAuthFailures": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 10,
    project: "never",
    meaning:
      "Requests without the right token from one address, after which further ones are answered with 429 for a minute; 0: never, for a server behind a proxy, where all come from one address. The right token is always accepted.",
  }),
  "serve.maxWorkers": setting({
    type: integer({ min: 1, max: 10_000 }),
    default: 64,
    project: "never",
    meaning: "Engine processes, so also sessions that are open at once.",
  }),
  "serve.maxFrameBytes": setting({
    type: integer({ min: 1_000, max: 268_435_456 }),
    default: 33_554_432,
    project: "never",
    meaning: "Bytes of one frame from a host.",
  }),
  "serve.maxQueuedBytes": setting({
    type: integer({ min: 1_000, max: 1_073_741_824 }),
    default: 33_554_432,
    project: "never",
    meaning: "Bytes that wait for a host which does not read; then it is dropped with `lagged`.",
  }),
  "serve.maxInFlight": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Commands of one connection without an answer.",
  }),
  "serve.maxSessionsPerConnection": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Sessions that one connection may be attached to.",
  }),
  "serve.ringFrames": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 4096,
    project: "never",
    meaning: "Frames of a session that are kept for hosts that come back.",
  }),
  "serve.ringBytes": setting({
    type: integer({ min: 0, max: 1_073_741_824 }),
    default: 8_388_608,
    project: "never",
    meaning: "Bytes of these frames; never more than `serve.maxQueuedBytes`.",
  }),
  "serve.idleMs": setting({
    type: integer({ min: 1, max: MAX_TIMER_SECONDS * 1_000 }),
    default: 300_000,
    project: "never",
    meaning: "How long a session without a run, a host and a background process keeps its process.",
  }),
  "serve.unresponsiveMs": setting({
    type: hostDeadline,
    default: 30_000,
    project: "never",
    meaning: "How long the process of a session may leave a `ping` unanswered before it is killed.",
  }),
  "serve.drainMs": setting({
    type: delayMs,
    default: 25_000,
    project: "never",
    meaning: "How long runs may go on when the server is asked to end; then they are aborted.",
  }),
  "serve.prewarm": setting({
    type: flag,
    default: false,
    project: "never",
    meaning: "Keep one engine started for the next new session.",
  }),
  "serve.workerMemoryMb": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 0,
    project: "never",
    meaning: "Megabytes that the engine of a session may use, where the system can limit it (Linux); 0: no limit.",
  }),
  "serve.workerCpuSeconds": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 0,
    project: "never",
    meaning:
      "Seconds of CPU time that one run and its tools may use, where the system reports it (Linux); then the run is aborted. 0: no limit.",
  }),
  "serve.roots": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    meaning: "Directories that sessions may work in; empty means the one in which the server was started.",
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
    meaning: "With `--store`: what this node is called; without it the name of the machine.",
  }),
  "serve.labels": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    meaning:
      "With `--store`: what this node has to offer. Only sessions whose `labels` are all among them are opened here.",
  }),
  "serve.leaseMs": setting({
    type: hostDeadline,
    default: 15_000,
    project: "never",
    meaning: "With `--store`: how long a node may be silent before another one may take its sessions.",
  }),
  "serve.heartbeatMs": setting({
    type: integer({ min: 100, max: 3_600_000 }),
    default: 3_000,
    project: "never",
    meaning: "With `--store`: how often a node extends its leases; at most a third of `serve.leaseMs` counts.",
  }),
  "serve.storeTimeoutMs": setting({
    type: hostDeadline,
    default: 60_000,
    project: "never",
    meaning:
      "With `--store`: how long a run goes on while the database is away before it is aborted, and how long a start waits for the database.",
  }),
  "serve.storePooler": setting({
    type: flag,
    default: false,
    project: "never",
    meaning:
      "With `--store`: the address leads to a pooler in transaction mode, such as PgBouncer: no prepared statements, and notifications only from `--store-listen`.",
  }),
  "serve.jobs": setting({
    type: integer({ min: 0, max: 10_000 }),
    default: 2,
    project: "never",
    meaning: "With `--store`: jobs that this node runs at once; 0: it takes none.",
  }),
  "serve.onTakeover": setting({
    type: oneOf("report", "continue"),
    default: "report",
    project: "never",
    meaning:
      "With `--store`: whether a run that its node did not finish is only told (`run_interrupted`), or goes on by itself where another node takes the session.",
  }),
  "serve.maxPermissions": setting({
    type: oneOf(...PERMISSION_MODES),
    default: "workspace",
    isStrict: true,
    project: "never",
    meaning:
      "The freest preset that hosts of a server may choose, beside `permissions.mode`; with `full` they may also allow by rules and switch the sandbox off.",
  }),
  "serve.allowAlways": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Whether a host's `allow_always` is kept in the user's settings; otherwise it holds for the session.",
  }),
  "serve.allowKeys": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Whether hosts may store and remove API keys.",
  }),
} satisfies SettingRows;
