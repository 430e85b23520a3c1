import type { AgentMessage, Clock, CustomMessage } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { newestNote } from "../conversation/newest-note.ts";
import { NO_RESTRICTIONS } from "../permissions/permission-facts.ts";
import type { RunPolicy } from "./policy.ts";

export interface PermissionNewsParts {
  /** Returns what restricts the model now; empty if nothing does. */
  facts(): string;
  /** Returns the restrictions that the system prompt names. */
  prompted(): string;
  clock: Clock;
  /** Returns the conversation as the model receives it. */
  messages(): readonly AgentMessage[];
}

const CUSTOM_TYPE = "permissions";

/**
 * Appends a message when the model's permissions differ from those in the system prompt. Changing the system prompt instead would
 * invalidate the provider's cache of the whole conversation.
 */
export function permissionNewsPolicy({ facts, prompted, clock, messages }: PermissionNewsParts): RunPolicy {
  const news = (earlier: readonly AgentMessage[]): CustomMessage[] => {
    const now = facts();
    if (now === (newestFacts(earlier) ?? prompted())) return [];
    return [
      {
        role: "custom",
        customType: CUSTOM_TYPE,
        content: `Permissions: ${now === "" ? NO_RESTRICTIONS : now}`,
        display: false,
        details: { facts: now },
        attribution: "agent",
        timestamp: clock.now(),
      },
    ];
  };
  return {
    name: "permission news",
    onPrompt: (_, earlier) => ({ before: news(earlier) }),
    async next({ state }) {
      const added = state === "continues" ? news(messages()) : [];
      return added.length > 0 ? { kind: "turn", messages: added } : undefined;
    },
  };
}

/** Returns the facts of the newest note, or undefined if the conversation has none or a summary has replaced it. */
function newestFacts(messages: readonly AgentMessage[]): string | undefined {
  const details = newestNote(messages, CUSTOM_TYPE)?.details;
  return isRecord(details) && typeof details.facts === "string" ? details.facts : undefined;
}
