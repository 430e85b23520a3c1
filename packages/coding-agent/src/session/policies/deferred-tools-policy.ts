import type { AgentMessage, Clock } from "@pintle/agent";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import { DeferredList } from "../tools/deferred-list.ts";
import type { SessionTools } from "../tools/session-tools.ts";
import type { RunPolicy } from "./policy.ts";

export interface DeferredToolsPolicyParts {
  tooling: Pick<SessionTools, "deferred">;
  clock: Clock;
  conversation: OpenConversation;
  messages(): readonly AgentMessage[];
}

/** Tells the model which tools there are besides those that requests declare. */
export function deferredToolsPolicy({ tooling, clock, conversation, ...parts }: DeferredToolsPolicyParts): RunPolicy {
  const list = new DeferredList();
  const messages = (): AgentMessage[] => {
    const message = list.about(tooling.deferred(), parts.messages(), clock.now());
    return message ? [message] : [];
  };
  conversation.onContextReplaced(() => list.forget());
  return {
    name: "deferred tools",
    onPrompt: () => ({ before: messages() }),
    async next({ state }) {
      const told = state === "continues" ? messages() : [];
      return told.length > 0 ? { kind: "turn", messages: told } : undefined;
    },
    restore: () => list.forget(),
  };
}
