import type { AgentEvent } from "@pintle/agent";
import type { Static } from "typebox";
import type { connectionEventSchemas } from "./connection-events.ts";
import type { sessionEventSchemas } from "./session-events.ts";

type SessionEvents = typeof sessionEventSchemas;
type ConnectionEvents = typeof connectionEventSchemas;

/** What a session emits: the agent's own events and those around a run. */
export type AgentSessionEvent =
  | AgentEvent
  | { [T in keyof SessionEvents]: Static<SessionEvents[T]> }[keyof SessionEvents];
export type SessionEventOf<T extends keyof SessionEvents> = Static<SessionEvents[T]>;

/** What the connection itself emits. */
export type ConnectionEvent = { [T in keyof ConnectionEvents]: Static<ConnectionEvents[T]> }[keyof ConnectionEvents];
/** The end of an accepted prompt, whether or not there was a run. */
export type PromptResultFrame = Static<ConnectionEvents["prompt_result"]>;
