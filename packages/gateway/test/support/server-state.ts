import type { ServerLimits, ServerState } from "@pintle/wire";

export const LIMITS: ServerLimits = {
  maxConnections: 20,
  maxWorkers: 4,
  maxFrameBytes: 4096,
  maxQueuedBytes: 1_000_000,
  maxInFlight: 8,
  maxSessionsPerConnection: 8,
};

export function serverState(values: Partial<ServerState> = {}): ServerState {
  return {
    version: "1.2.3",
    epoch: "e1",
    uptimeMs: 1500,
    isDraining: false,
    connections: 3,
    workers: 2,
    sessions: { idle: 1, running: 2, waiting: 0 },
    load: { inFlight: 1, queuedBytes: 7, rssBytes: 1_000_000 },
    limits: LIMITS,
    workerLimits: {},
    ...values,
  };
}
