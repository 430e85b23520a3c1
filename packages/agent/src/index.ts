export { AbortedBeforeStartError, Agent, AgentBusyError, BUSY_TEXT, type RunClaim } from "./agent.ts";
export { createSystemClock } from "./clock.ts";
export { buildContext } from "./context.ts";
export { toProviderRole } from "./context-roles.ts";
export type { AgentEvent, AgentEventType, RunStopReason } from "./events.ts";
export { MessageQueue, type QueuedMessage, type QueueName } from "./message-queue.ts";
export type * from "./messages.ts";
export type { StandingChoice, ToolChoiceDirective } from "./tool-choice.ts";
export type * from "./types.ts";
