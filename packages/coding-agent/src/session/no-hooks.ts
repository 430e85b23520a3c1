import type { SessionHooks } from "./session-hooks.ts";

/** Nobody has anything to say. */
export const NO_HOOKS: SessionHooks = {
  loop: {},
  compaction: {},
  observe() {},
  command: () => undefined,
  commands: () => [],
  input: async (prompt) => ({ kind: "prompt", prompt }),
  beforeRun: async () => ({ messages: [] }),
  wrapFetch: (fetch) => fetch,
  userBash: async () => undefined,
  resources: async () => ({ skillPaths: [], promptPaths: [] }),
  isSwitchCancelled: async () => false,
  beforeFork: async () => ({ isCancelled: false, keepsConversation: false }),
  leaveSession: async () => {},
  enterSession: async () => {},
  modelSelected() {},
  thinkingLevelSelected() {},
};
