import type { AgentEvent } from "@pintle/agent";
import type { Static } from "typebox";
import type {
  AvailableCommandSchema,
  CompactionResultSchema,
  McpServerStatusSchema,
  TodoPhaseSchema,
} from "./session-event-data.ts";
import type { sessionEventSchemas } from "./session-event-schemas.ts";

type Schemas = typeof sessionEventSchemas;

/** What a session tells its listeners: the agent's own events and those around a run. */
export type AgentSessionEvent = AgentEvent | { [T in keyof Schemas]: Static<Schemas[T]> }[keyof Schemas];

export type CompactionResult = Static<typeof CompactionResultSchema>;
export type TodoPhase = Static<typeof TodoPhaseSchema>;
export type McpServerStatus = Static<typeof McpServerStatusSchema>;
export type AvailableCommand = Static<typeof AvailableCommandSchema>;
