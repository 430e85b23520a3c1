export { createAgentSession } from "./sdk.ts";
export { AgentSession } from "./session/agent-session.ts";
export { SessionError } from "./session/session-error.ts";
export type { AgentSessionEvent } from "./session/session-events.ts";
