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

/** What is needed to call handlers. */
export interface Callers {
  handlers: HandlerTable;
  limits: HandlerLimits;
  /** The signal of the active run. */
  runSignal(): AbortSignal | undefined;
  /**
   * While extensions are being replaced, returns a promise that resolves when the new ones are loaded, so that no call slips
   * through in between.
   */
  replaced(): Promise<void> | undefined;
  report(fault: ExtensionFault): void;
}

/** Returns the answer of one handler. Throws what it throws, a timeout, or the reason of the abort. */
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

/** An abort during these events loses nothing. The answers to later ones may be needed to store an aborted run. */
const ENDED_BY_ABORT: ReadonlySet<EventName> = new Set<EventName>(["input", "before_agent_start"]);

/**
 * Calls the handlers one after the other. `take` receives each answer and returns true if no others are needed. A handler that
 * fails, or whose answer makes `take` throw, is treated as if it had not answered.
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
