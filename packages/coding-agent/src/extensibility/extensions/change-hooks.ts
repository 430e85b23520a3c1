import type { CompactionHooks } from "../../compaction/compaction-hooks.ts";
import { askHandlers, type Callers } from "./call-handler.ts";
import type { DecidingEvent, EventAnswer, EventFields } from "./event-types.ts";
import type { ObserverQueue } from "./observer-queue.ts";

type Cancellable = Extract<DecidingEvent, "session_before_switch" | "session_before_fork">;

/** Asks whether a change of the session may happen; the first no counts. */
export async function isCancelled<E extends Cancellable>(
  callers: Callers,
  event: E,
  fields: EventFields<E>,
): Promise<boolean> {
  let cancelled = false;
  await askHandlers(
    callers,
    event,
    () => fields,
    (answer) => {
      cancelled = (answer as { cancel?: boolean }).cancel === true;
      return cancelled;
    },
  );
  return cancelled;
}

/** The hooks around compaction and moves in the tree. A `cancel` ends the asking; otherwise the last answer counts. */
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
        return (answer as { cancel?: boolean }).cancel === true;
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
  if (given !== undefined && typeof given.summary !== "string") throw new Error("summary must be a text");
}
