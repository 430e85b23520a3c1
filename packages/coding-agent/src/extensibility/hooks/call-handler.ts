import { untilAborted } from "@pintle/ai";
import type { EventAnswer, EventFields, EventName } from "../api/event-types.ts";
import type { ExtensionFault } from "../api/extension-host.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { asUsersCode } from "../loading/watchdog.ts";
import type { HandlerTable, Subscriber } from "./handler-table.ts";

export interface HandlerLimits {
  usualMs: number;
  messageEndMs: number;
  shutdownMs: number;
}

export const HANDLER_LIMITS: HandlerLimits = { usualMs: 30_000, messageEndMs: 5_000, shutdownMs: 2_000 };

/** What calling handlers takes. */
export interface Callers {
  handlers: HandlerTable;
  limits: HandlerLimits;
  /** Of the active run. */
  runSignal(): AbortSignal | undefined;
  /** While extensions are being replaced: resolves when the new ones are there. A gate must not be open meanwhile. */
  replaced(): Promise<void> | undefined;
  report(fault: ExtensionFault): void;
}

/** The answer of one handler. Throws what it throws, that it took too long, or what the signal was aborted with. */
export function callHandler(
  { instance, handler }: Subscriber,
  event: { type: string },
  ms: number,
  signal?: AbortSignal,
): unknown | Promise<unknown> {
  const context = instance.contextFor(event.type);
  const answer = asUsersCode(`${event.type} of ${instance.path}`, () => handler(event, context));
  if (!isPromise(answer)) return answer;
  return untilAborted(instance.dialogs.within(answer, ms), signal);
}

/** Before these a run has nothing to lose. What later ones answer may be needed for what is stored of an aborted run. */
const ENDED_BY_ABORT: ReadonlySet<EventName> = new Set<EventName>(["input", "before_agent_start"]);

/**
 * Asks the handlers one after the other. `take` gets each answer and says true when the others need not be asked. A handler
 * that fails has not answered, and neither has one whose answer makes `take` throw.
 */
export async function askHandlers<E extends EventName>(
  { handlers, limits, report, replaced, runSignal }: Callers,
  type: E,
  fields: () => EventFields<E>,
  take: (answer: NonNullable<EventAnswer<E>>) => unknown,
  ms: () => number = () => limits.usualMs,
): Promise<void> {
  await replaced();
  const signal = ENDED_BY_ABORT.has(type) ? runSignal() : undefined;
  for (const subscriber of handlers.of(type)) {
    if (signal?.aborted) return;
    try {
      const answer = await callHandler(subscriber, { type, ...fields() }, ms(), signal);
      if (answer !== undefined && answer !== null && take(answer as NonNullable<EventAnswer<E>>) === true) return;
    } catch (error) {
      if (signal?.aborted) return;
      report({ path: subscriber.instance.path, event: type, error: describeThrown(error) });
    }
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof Object(value).then === "function";
}
