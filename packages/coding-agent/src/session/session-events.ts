import type { AgentEvent } from "@pintle/agent";
import type { Model, ThinkingLevel } from "@pintle/ai";

/** What a session tells its listeners: the agent's own events and those around a run. */
export type AgentSessionEvent =
  | AgentEvent
  /** The run is over and nothing of it is left to do. */
  | { type: "agent_settled" }
  /** Something a person should know although nothing failed; the host may discard stderr. */
  | { type: "notice"; level: "info" | "warning" | "error"; message: string; source?: string }
  /** The texts that wait in the queues, after every change. */
  | { type: "queue_update"; steering: string[]; followUp: string[] }
  /** Another session is open, or this one has another name. */
  | { type: "session_info_changed"; name?: string; sessionId: string; sessionFile?: string }
  | { type: "model_changed"; model: Model }
  /** Both spellings: the seeds' hosts and pi's read one each. */
  | { type: "thinking_level_changed"; level: ThinkingLevel; thinkingLevel: ThinkingLevel };
