import { describeThrown } from "../modules/load-fault.ts";
import type { EventAnswer, EventFields, EventName } from "./event-types.ts";
import type { ExtensionFault } from "./extension-host.ts";
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
  /** While extensions are being replaced: resolves when the new ones are there. A gate must not be open meanwhile. */
  replaced(): Promise<void> | undefined;
  report(fault: ExtensionFault): void;
}

/** The answer of one handler. Throws what it throws, or that it took too long. */
export function callHandler(
  { instance, handler }: Subscriber,
  event: { type: string },
  ms: number,
): unknown | Promise<unknown> {
  const answer = handler(event, instance.context);
  return isPromise(answer) ? instance.dialogs.within(answer, ms) : answer;
}

/**
 * Asks the handlers one after the other. `take` gets each answer and says true when the others need not be asked. A handler
 * that fails has not answered, and neither has one whose answer makes `take` throw.
 */
export async function askHandlers<E extends EventName>(
  { handlers, limits, report, replaced }: Callers,
  type: E,
  fields: () => EventFields<E>,
  take: (answer: NonNullable<EventAnswer<E>>) => unknown,
  ms: () => number = () => limits.usualMs,
): Promise<void> {
  await replaced();
  for (const subscriber of handlers.of(type)) {
    try {
      const answer = await callHandler(subscriber, { type, ...fields() }, ms());
      if (answer !== undefined && answer !== null && take(answer as NonNullable<EventAnswer<E>>) === true) return;
    } catch (error) {
      report({ path: subscriber.instance.path, event: type, error: describeThrown(error) });
    }
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined | null)?.then === "function";
}
