import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

const count = (description?: string) => Type.Integer(...(description === undefined ? [] : [{ description }]));

/** Settings `serve.<key>` of a gateway, as `server_ready` tells them. */
export const ServerLimitsSchema = Type.Object({
  maxConnections: count(),
  maxWorkers: count("processes, so also sessions that are open at once"),
  maxFrameBytes: count("of one frame from a host; a longer one is refused"),
  maxQueuedBytes: count("that wait for a host which does not read; then it is dropped with `lagged`"),
  maxInFlight: count("commands of one connection without an answer"),
  maxSessionsPerConnection: count("that one connection is attached to"),
});
export type ServerLimits = Static<typeof ServerLimitsSchema>;

export const ServerStateSchema = Type.Object({
  version: Type.String(),
  epoch: Type.String(),
  uptimeMs: count(),
  isDraining: Type.Boolean({ description: "no new sessions and prompts: the server is about to end" }),
  connections: count(),
  workers: count("processes, spare ones included"),
  sessions: Type.Object(
    { idle: count(), running: count(), waiting: count() },
    { description: "open ones by their status" },
  ),
  load: Type.Object({
    inFlight: count("commands without an answer"),
    queuedBytes: count("that hosts have not read"),
    rssBytes: count("memory of the gateway alone"),
  }),
  limits: ServerLimitsSchema,
  roots: Type.Optional(
    Type.Array(Type.String(), { description: "directories that sessions may work in, the first without a word" }),
  ),
  workerLimits: Type.Object(
    {
      memoryBytes: Type.Optional(count()),
      cpuPercent: Type.Optional(count()),
      cpuSeconds: Type.Optional(count("of one run and its tools")),
    },
    { description: "of each worker; what the system cannot limit is absent" },
  ),
});
/** The answer to `get_server_state`. */
export type ServerState = Static<typeof ServerStateSchema>;
