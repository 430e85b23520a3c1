import type { ServerState } from "@pintle/wire";
import type { Server } from "./server.ts";

/** Returns the current state of the server. */
export function serverState(server: Server): ServerState {
  const { version, epoch, limits, table, pool, roots } = server.parts;
  const sessions = { idle: 0, running: 0, waiting: 0 };
  let inFlight = 0;
  for (const { live } of table.all()) {
    sessions[live.status] += 1;
    inFlight += live.commands.sent.size;
  }
  return {
    version,
    epoch,
    uptimeMs: Math.round(performance.now() - server.startedAt),
    isDraining: server.isDraining,
    connections: server.connections,
    workers: pool.size,
    sessions,
    load: { inFlight, queuedBytes: server.queuedBytes, rssBytes: process.memoryUsage.rss() },
    limits,
    roots: [...roots.all],
    workerLimits: server.parts.workerLimits,
  };
}
