import type { AgentSessionEvent } from "@pintle/wire";
import type { EventFields, EventName } from "../api/event-types.ts";

type SessionEventType = AgentSessionEvent["type"];

/** Events of the session that extensions observe under the same name. `message_end` is a hook instead. */
const OBSERVED: ReadonlySet<string> = new Set<SessionEventType & EventName>([
  ...(["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end"] as const),
  ...(["message_start", "message_update"] as const),
  ...(["tool_execution_start", "tool_execution_update", "tool_execution_end"] as const),
  ...(["pending_action_added", "pending_action_resolved"] as const),
  ...(["auto_compaction_start", "auto_compaction_end", "auto_retry_start", "auto_retry_end"] as const),
  ...(["ttsr_triggered", "todo_reminder"] as const),
]);

/** Events that no run causes, although one may be active. */
const OUTSIDE_RUNS: ReadonlySet<string> = new Set<EventName>([
  ...(["session_start", "session_switch", "session_branch", "session_shutdown", "session_tree"] as const),
  ...(["session_before_switch", "session_before_fork", "session_before_tree", "resources_discover"] as const),
  ...(["user_bash", "model_select", "thinking_level_select", "session_info_changed", "mcp_servers_change"] as const),
]);

/** Returns the event that extensions know under another name, or with other fields. */
export function translated(event: AgentSessionEvent): Translated | undefined {
  if (event.type === "session_info_changed") return { type: "session_info_changed", fields: { name: event.name } };
  if (event.type !== "auto_compaction_end" && event.type !== "compaction_end") return undefined;
  const { aborted, errorMessage, willRetry, reason } = event;
  const isFailed = aborted || errorMessage !== undefined;
  if (!isFailed) return undefined;
  const known = reason === "manual" || reason === "overflow" ? reason : "threshold";
  const fields: EventFields<"session_compact_failed"> = {
    reason: known,
    aborted,
    willRetry,
    fromExtension: false, // a summary from an extension is checked before it is used
    ...(errorMessage !== undefined && { errorMessage }),
  };
  return { type: "session_compact_failed", fields };
}

type Translated =
  | { type: "session_info_changed"; fields: EventFields<"session_info_changed"> }
  | { type: "session_compact_failed"; fields: EventFields<"session_compact_failed"> };

export function isOutsideRuns(type: string): boolean {
  return OUTSIDE_RUNS.has(type);
}

export function isObserved(type: SessionEventType): type is SessionEventType & EventName {
  return OBSERVED.has(type);
}

/** Numbers the turns of a run, which the session's own events do not. */
export class TurnCounter {
  #index = 0;

  /** Returns the event as extensions receive it. */
  number(event: AgentSessionEvent): AgentSessionEvent {
    if (event.type === "agent_start") this.#index = 0;
    if (event.type === "turn_start") return { ...event, turnIndex: this.#index, timestamp: Date.now() } as typeof event;
    if (event.type !== "turn_end") return event;
    this.#index += 1;
    return { ...event, turnIndex: this.#index - 1 } as typeof event;
  }
}
