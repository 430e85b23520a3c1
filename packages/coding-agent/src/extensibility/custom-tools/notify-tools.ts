import type { Tool } from "@pintle/agent";
import { withinTime } from "@pintle/foundation";
import type { AgentSessionEvent } from "@pintle/wire";
import type { CustomToolSessionEvent } from "../api/tool-types.ts";
import { describeThrown, type LoadFault } from "../loading/load-fault.ts";

export interface SessionBudgets {
  usualMs: number;
  shutdownMs: number;
}

const SESSION_BUDGETS: SessionBudgets = { usualMs: 5_000, shutdownMs: 2_000 };

type SessionEventType = AgentSessionEvent["type"];

/** Events that tools receive in addition to session changes. */
const FORWARDED: ReadonlySet<string> = new Set<SessionEventType & CustomToolSessionEvent["reason"]>([
  ...(["auto_compaction_start", "auto_compaction_end", "auto_retry_start", "auto_retry_end"] as const),
  ...(["ttsr_triggered", "todo_reminder"] as const),
]);

export function reachesTools(type: SessionEventType): type is SessionEventType & CustomToolSessionEvent["reason"] {
  return FORWARDED.has(type);
}

/** A tool that may receive session events, with the path of its module. */
export interface SessionListener {
  path: string;
  tool: Pick<Tool, "name">;
  onSession(event: CustomToolSessionEvent): unknown;
}

export interface NotifyDeps {
  report(fault: LoadFault): void;
  budgets?: SessionBudgets;
}

/**
 * Notifies each tool in order, without waiting for one before notifying the next. Resolves when all have finished or used up
 * their time. Never rejects: errors are reported.
 */
export async function notifyTools(
  listeners: readonly SessionListener[],
  event: CustomToolSessionEvent,
  { report, budgets = SESSION_BUDGETS }: NotifyDeps,
): Promise<void> {
  const ms = event.reason === "shutdown" ? budgets.shutdownMs : budgets.usualMs;
  const limit = { ms, text: "no answer within", keepsAlive: true };
  await Promise.all(
    listeners.map(async ({ path, tool, onSession }) => {
      try {
        await withinTime(async () => onSession({ ...event }), limit);
      } catch (thrown) {
        report({ path, error: `onSession of tool "${tool.name}" (${event.reason}): ${describeThrown(thrown)}` });
      }
    }),
  );
}
