import type { AgentMessage, Clock } from "@pintle/agent";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { SessionTools } from "../tools/session-tools.ts";
import { DeferredToolNews, LateToolNews } from "../tools/tool-news.ts";
import type { RunPolicy } from "./policy.ts";

export interface ToolNewsPolicyParts {
  tooling: Pick<SessionTools, "view">;
  clock: Clock;
  conversation: OpenConversation;
  messages(): readonly AgentMessage[];
}

/** Tells the model about tools that it can call although requests do not declare them. */
export function toolNewsPolicy({ tooling, clock, conversation, ...parts }: ToolNewsPolicyParts): RunPolicy {
  const late = new LateToolNews();
  const deferred = new DeferredToolNews();
  const news = (): AgentMessage[] => {
    const { view } = tooling;
    const messages = [
      late.about(view.announced, clock.now()),
      deferred.about(view.deferred, parts.messages(), clock.now()),
    ];
    return messages.filter((message) => message !== undefined);
  };
  const forget = () => {
    late.forget();
    deferred.forget();
  };
  conversation.onContextReplaced(forget);
  return {
    name: "tool news",
    onPrompt: () => ({ before: news() }),
    async next({ state }) {
      const messages = state === "continues" ? news() : [];
      return messages.length > 0 ? { kind: "turn", messages } : undefined;
    },
    restore: forget,
  };
}
