import type { Static } from "typebox";
import type { agentEventSchemas, RunEndedBySchema, RunStopReasonSchema } from "./event-schemas.ts";

export type RunStopReason = Static<typeof RunStopReasonSchema>;
export type RunEndedBy = Static<typeof RunEndedBySchema>;

type Schemas = typeof agentEventSchemas;
export type AgentEventType = keyof Schemas;

/**
 * What a run tells the world, in order; see testing/event-grammar.ts for the grammar. All listeners get the same object,
 * which is never changed afterwards.
 */
export type AgentEvent = { [T in AgentEventType]: Static<Schemas[T]> }[AgentEventType];
