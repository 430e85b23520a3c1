import type { AgentSessionEvent } from "@pintle/wire";
import type { EventName } from "../api/event-types.ts";

type SessionEventType = AgentSessionEvent["type"];

/** Events of the session that extensions observe under the same name. `message_end` is a hook and comes that way. */
const OBSERVED: ReadonlySet<string> = new Set<SessionEventType & EventName>([
  ...(["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end"] as const),
  ...(["message_start", "message_update"] as const),
  ...(["tool_execution_start", "tool_execution_update", "tool_execution_end"] as const),
  ...(["pending_action_added", "pending_action_resolved"] as const),
  ...(["auto_compaction_start", "auto_compaction_end", "auto_retry_start", "auto_retry_end"] as const),
  ...(["ttsr_triggered", "todo_reminder"] as const),
]);

/** Nothing that a run does causes them, although one may be active. */
const OUTSIDE_RUNS: ReadonlySet<string> = new Set<EventName>([
  ...(["session_start", "session_switch", "session_branch", "session_shutdown", "session_tree"] as const),
  ...(["session_before_switch", "session_before_fork", "session_before_tree", "resources_discover"] as const),
  ...(["user_bash", "model_select", "thinking_level_select"] as const),
]);

export function isOutsideRuns(type: string): boolean {
  return OUTSIDE_RUNS.has(type);
}

export function isObserved(type: SessionEventType): type is SessionEventType & EventName {
  return OBSERVED.has(type);
}

/** Numbers the turns of a run, which the session's own events do not. */
export class TurnCounter {
  #index = 0;

  /** The event as extensions get it. */
  number(event: AgentSessionEvent): AgentSessionEvent {
    if (event.type === "agent_start") this.#index = 0;
    if (event.type === "turn_start") return { ...event, turnIndex: this.#index, timestamp: Date.now() } as typeof event;
    if (event.type !== "turn_end") return event;
    this.#index += 1;
    return { ...event, turnIndex: this.#index - 1 } as typeof event;
  }
}
