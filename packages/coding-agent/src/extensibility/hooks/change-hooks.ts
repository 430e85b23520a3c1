import type { CompactionHooks } from "../../compaction/compaction-hooks.ts";
import type { ForkDecision } from "../../session/session-hooks.ts";
import type { EventAnswer, EventFields } from "../api/event-types.ts";
import { askHandlers, type Callers } from "./call-handler.ts";
import type { ObserverQueue } from "./observer-queue.ts";

/** Asks whether another session may be opened; the first refusal wins. */
export async function isSwitchCancelled(
  callers: Callers,
  change: EventFields<"session_before_switch">,
): Promise<boolean> {
  let isCancelled = false;
  await askHandlers(
    callers,
    "session_before_switch",
    () => change,
    ({ cancel }) => {
      isCancelled = cancel === true;
      return isCancelled;
    },
  );
  return isCancelled;
}

/** Asks whether the session may be forked; the first refusal wins. */
export async function askBeforeFork(
  callers: Callers,
  change: EventFields<"session_before_fork">,
): Promise<ForkDecision> {
  const decision = { isCancelled: false, keepsConversation: false };
  await askHandlers(
    callers,
    "session_before_fork",
    () => change,
    ({ cancel, skipConversationRestore }) => {
      decision.isCancelled = cancel === true;
      decision.keepsConversation ||= skipConversationRestore === true;
      return decision.isCancelled;
    },
  );
  return decision;
}

/** The hooks around compaction and moves in the tree. A `cancel` ends the sequence; otherwise the last answer wins. */
export function createCompactionHooks(callers: Callers, queue: ObserverQueue): CompactionHooks {
  const lastOf = async <E extends "session_before_compact" | "session_before_tree" | "session.compacting">(
    event: E,
    fields: EventFields<E>,
    check: (answer: NonNullable<EventAnswer<E>>) => void = () => {},
  ) => {
    let last: EventAnswer<E> | undefined;
    await askHandlers(
      callers,
      event,
      () => fields,
      (answer) => {
        check(answer);
        last = answer;
        return Object(answer).cancel === true;
      },
    );
    return last;
  };
  return {
    beforeCompact: (event) => lastOf("session_before_compact", event, (answer) => requireSummary(answer?.compaction)),
    compacting: (event) => lastOf("session.compacting", event),
    beforeTree: (event) => lastOf("session_before_tree", event, (answer) => requireSummary(answer?.summary)),
    compacted: (event) => queue.push("session_compact", event),
    treeMoved: (event) => queue.push("session_tree", event),
  };
}

function requireSummary(given: { summary: unknown } | undefined): void {
  if (given !== undefined && typeof given.summary !== "string") throw new Error("summary must be a string");
}
