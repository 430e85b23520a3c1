import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

const count = (description?: string) => Type.Integer(...(description === undefined ? [] : [{ description }]));

/** Settings `serve.<key>` of a gateway, as reported by `server_ready`. */
export const ServerLimitsSchema = Type.Object({
  maxConnections: count(),
  maxWorkers: count("processes, and therefore open sessions"),
  maxFrameBytes: count("the maximum size of one frame from a host; longer ones are refused"),
  maxQueuedBytes: count("bytes that wait for a host that does not read; above it, the host is dropped with `lagged`"),
  maxInFlight: count("commands of one connection without a response"),
  maxSessionsPerConnection: count("the maximum number that one connection may be attached to"),
});
export type ServerLimits = Static<typeof ServerLimitsSchema>;

export const ServerStateSchema = Type.Object({
  version: Type.String(),
  epoch: Type.String(),
  uptimeMs: count(),
  isDraining: Type.Boolean({ description: "no new sessions and prompts: the server is shutting down" }),
  connections: count(),
  workers: count("processes, including spare ones"),
  sessions: Type.Object(
    { idle: count(), running: count(), waiting: count() },
    { description: "open ones by their status" },
  ),
  load: Type.Object({
    inFlight: count("commands without a response"),
    queuedBytes: count("bytes that hosts have not read"),
    rssBytes: count("memory of the gateway alone"),
  }),
  limits: ServerLimitsSchema,
  roots: Type.Optional(
    Type.Array(Type.String(), { description: "directories that sessions may work in; the first is the default" }),
  ),
  workerLimits: Type.Object(
    {
      memoryBytes: Type.Optional(count()),
      cpuPercent: Type.Optional(count()),
      cpuSeconds: Type.Optional(count("CPU time of one run and its tools")),
    },
    { description: "the limit of each worker; absent if the system cannot limit it" },
  ),
});
/** The response to `get_server_state`. */
export type ServerState = Static<typeof ServerStateSchema>;
