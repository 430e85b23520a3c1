import { withinTime } from "@pintle/foundation";
import type { EventFields } from "../api/event-types.ts";
import { describeThrown } from "../loading/load-fault.ts";
import type { Callers } from "./call-handler.ts";
import type { ObserverQueue } from "./observer-queue.ts";

/** How long the end waits for observers with pending notifications. */
const DRAIN_MS = 500;

/**
 * Notifies all extensions that the session ends and waits for them, within their time limit. Extensions are notified in
 * parallel, so that a slow one does not delay the others; the handlers of one extension run in sequence.
 */
export async function shutDown(
  { handlers, limits, report }: Callers,
  queue: ObserverQueue,
  event: EventFields<"session_shutdown">,
): Promise<void> {
  await withinTime(() => queue.idle(), { ms: DRAIN_MS, text: "observers took more than", keepsAlive: true }).catch(
    () => {},
  );
  const byInstance = Map.groupBy(handlers.of("session_shutdown"), ({ instance }) => instance);
  const limit = { ms: limits.shutdownMs, text: "no answer within", keepsAlive: true };
  await Promise.all(
    [...byInstance].map(async ([instance, subscribers]) => {
      const { path } = instance;
      const context = instance.contextFor("session_shutdown");
      const notifyAll = async () => {
        for (const { handler } of subscribers) {
          try {
            await handler({ type: "session_shutdown", ...event }, context);
          } catch (error) {
            report({ path, event: "session_shutdown", error: describeThrown(error) });
          }
        }
      };
      try {
        await withinTime(notifyAll, limit);
      } catch (error) {
        report({ path, event: "session_shutdown", error: describeThrown(error) });
      }
    }),
  );
}
