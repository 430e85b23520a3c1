import type { Handler } from "./command-call.ts";

type SubagentCommand =
  | "get_subagents"
  | "set_subagent_subscription"
  | "get_subagent_messages"
  | "get_agents"
  | "abort_subagent"
  | "prompt_subagent";

export const subagentHandlers: { [N in SubagentCommand]: Handler<N> } = {
  get_subagents: ({ subagents }, { all }) => ({ subagents: subagents.list({ all }) }),
  set_subagent_subscription({ subagents }, { level }) {
    subagents.level = level;
    return { level };
  },
  get_subagent_messages: ({ subagents }, query) => subagents.messages(query),
  get_agents: async ({ subagents }) => ({ agents: await subagents.agentInfo() }),
  abort_subagent: async ({ subagents }, { subagentId }) => ({ status: await subagents.abort(subagentId) }),
  prompt_subagent: ({ subagents }, message) => subagents.prompt(message),
};
