import type { AgentMessage, Clock } from "@pintle/agent";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import { LateToolNews } from "../tools/late-tool-call.ts";
import type { SessionTools } from "../tools/session-tools.ts";
import type { RunPolicy } from "./policy.ts";

export interface LateToolsPolicyParts {
  tooling: Pick<SessionTools, "announced">;
  clock: Clock;
  conversation: OpenConversation;
}

/** Tells the model of tools that it can call, but that requests do not declare yet. */
export function lateToolsPolicy({ tooling, clock, conversation }: LateToolsPolicyParts): RunPolicy {
  const news = new LateToolNews();
  const messages = (): AgentMessage[] => {
    const message = news.about(tooling.announced(), clock.now());
    return message ? [message] : [];
  };
  conversation.onContextReplaced(() => news.forget());
  return {
    name: "late tools",
    onPrompt: () => ({ before: messages() }),
    async next({ state }) {
      const told = state === "continues" ? messages() : [];
      return told.length > 0 ? { kind: "turn", messages: told } : undefined;
    },
    restore: () => news.forget(),
  };
}
