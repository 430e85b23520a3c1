import type { Static } from "typebox";
import type { agentEventSchemas, RunEndedBySchema, RunStopReasonSchema } from "./event-schemas.ts";

export type RunStopReason = Static<typeof RunStopReasonSchema>;
export type RunEndedBy = Static<typeof RunEndedBySchema>;

type Schemas = typeof agentEventSchemas;
export type AgentEventType = keyof Schemas;

/**
 * The events of a run, in order; testing/event-grammar.ts has the grammar. All listeners get the same object, which
 * never changes afterwards.
 */
export type AgentEvent = { [T in AgentEventType]: Static<Schemas[T]> }[AgentEventType];
