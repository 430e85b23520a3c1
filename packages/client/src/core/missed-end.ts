import type { AgentEndEvent, AgentMessage, RunStopReason, SessionSnapshotEvent } from "../protocol.ts";
import { byId, isMessageEntry, pathTo } from "./session-path.ts";

const STOP_REASONS: ReadonlySet<string> = new Set<RunStopReason>(["stop", "length", "error", "aborted"]);

/** Reconstructs an `agent_end` that was missed, from the run's received messages and the snapshot. */
export function missedEnd(seen: readonly AgentMessage[], { entries, leafId }: SessionSnapshotEvent): AgentEndEvent {
  const path = pathTo(byId(entries), leafId).filter(isMessageEntry);
  const messages = joined(
    seen,
    path.map(({ message }) => message),
  );
  const answer = messages.findLast((message) => message.role === "assistant");
  const reason = answer?.stopReason ?? "";
  return { type: "agent_end", messages, stopReason: STOP_REASONS.has(reason) ? (reason as RunStopReason) : "aborted" };
}

/**
 * Joins both lists. The snapshot starts after the received messages, or long before them; then the run starts at the first
 * received message.
 */
function joined(seen: readonly AgentMessage[], reported: readonly AgentMessage[]): AgentMessage[] {
  const [first] = seen;
  const start = first
    ? reported.findIndex((message) => message.role === first.role && message.timestamp === first.timestamp)
    : reported.findLastIndex(({ role }) => role === "user");
  return start < 0 ? [...seen, ...reported] : reported.slice(start);
}
