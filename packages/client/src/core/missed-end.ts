import type { AgentEndEvent, AgentMessage, RunStopReason, SessionSnapshotEvent } from "../protocol.ts";
import { byId, isMessageEntry, pathTo } from "./session-path.ts";

const STOP_REASONS: ReadonlySet<string> = new Set<RunStopReason>(["stop", "length", "error", "aborted"]);

/** The end of a run that was not seen: from its messages that were, and from what the snapshot tells of the rest. */
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

/** The snapshot begins behind what was seen, or far before it; then the run begins with the first message that was seen. */
function joined(seen: readonly AgentMessage[], told: readonly AgentMessage[]): AgentMessage[] {
  const [first] = seen;
  const start = first
    ? told.findIndex((message) => message.role === first.role && message.timestamp === first.timestamp)
    : told.findLastIndex(({ role }) => role === "user");
  return start < 0 ? [...seen, ...told] : told.slice(start);
}
