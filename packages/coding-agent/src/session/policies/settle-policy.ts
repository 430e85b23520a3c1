import type { Clock } from "@pintle/agent";
import type { SessionHooks } from "../session-hooks.ts";
import type { RunPolicy } from "./policy.ts";

/** Asks extensions before a run ends; the model answers their messages in the same run. */
export function settlePolicy({ hooks, clock }: { hooks(): SessionHooks; clock: Clock }): RunPolicy {
  return {
    name: "settle",
    next: async ({ state }) => {
      if (state === "continues") return undefined;
      const added = (await hooks().beforeSettle?.(state === "failed" ? "error" : "completed")) ?? [];
      const messages = added.map((message) => ({
        role: "custom" as const,
        ...message,
        attribution: "agent" as const,
        timestamp: clock.now(),
      }));
      return messages.length > 0 ? { kind: "turn", messages } : undefined;
    },
  };
}
