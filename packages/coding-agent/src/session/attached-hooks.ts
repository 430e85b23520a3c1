import type { SessionHooks } from "./session-hooks.ts";

/** The hooks of a session without extensions. */
export const NO_HOOKS: SessionHooks = {
  loop: {},
  compaction: {},
  observe() {},
  command: () => undefined,
  commands: () => [],
  loading: undefined,
  beforeSettle: undefined,
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

/** Holds the hooks of the extensions that are loaded now. Other objects read them at each use. */
export class AttachedHooks {
  #hooks: SessionHooks = NO_HOOKS;

  readonly current = (): SessionHooks => this.#hooks;

  attach(hooks: SessionHooks): void {
    this.#hooks = hooks;
  }
}
