import type { AgentMessage, Clock, CustomMessage } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { NO_RESTRICTIONS } from "../permissions/permission-facts.ts";
import type { RunPolicy } from "./policy.ts";

export interface PermissionNewsParts {
  /** What restricts the model now; empty if nothing does. */
  facts(): string;
  /** What the system prompt says of it. */
  prompted(): string;
  clock: Clock;
  /** The conversation as the model gets it. */
  messages(): readonly AgentMessage[];
}

const CUSTOM_TYPE = "permissions";

/**
 * Appends a message when the model's permissions are no longer those that the system prompt names. Changing the system prompt
 * instead would cost the provider's cache of the whole conversation.
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

/** Returns undefined if the conversation has no such message, or a summary has replaced it. */
function newestFacts(messages: readonly AgentMessage[]): string | undefined {
  const note = messages.findLast((message) => message.role === "custom" && message.customType === CUSTOM_TYPE);
  const details = note?.role === "custom" ? note.details : undefined;
  return isRecord(details) && typeof details.facts === "string" ? details.facts : undefined;
}
