import type { SessionHooks } from "./session-hooks.ts";

/** No extension takes part. */
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

/** The hooks of the extensions that are loaded now; the owners of the session ask for them whenever they need them. */
export class AttachedHooks {
  #hooks: SessionHooks = NO_HOOKS;

  readonly current = (): SessionHooks => this.#hooks;

  attach(hooks: SessionHooks): void {
    this.#hooks = hooks;
  }
}
