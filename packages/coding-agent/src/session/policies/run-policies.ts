import type { AgentEvent, AgentMessage, LoopHooks, Next, NextStep, StandingChoice, StreamWatcher } from "@pintle/agent";
import type { SessionManager } from "../../storage/session-manager.ts";
import type { SessionHooks } from "../session-hooks.ts";
import type { PromptAddition, RestoreCause, RunPolicy } from "./policy.ts";

export interface RunPoliciesParts {
  manager(): SessionManager;
  hooks(): SessionHooks;
}

/** The policies of a session as one: every step is taken in the order of the list. */
export class RunPolicies {
  readonly hooks: LoopHooks;
  readonly #list: readonly RunPolicy[];
  readonly #watchers: readonly StreamWatcher[];
  readonly #parts: RunPoliciesParts;

  constructor(list: readonly RunPolicy[], parts: RunPoliciesParts) {
    this.#list = list;
    this.#parts = parts;
    this.#watchers = list.flatMap(({ watch }) => watch ?? []);
    this.hooks = this.#joinHooks();
  }

  async prepare(): Promise<void> {
    for (const policy of this.#list) await policy.prepare?.();
  }

  async beforeRun(signal: AbortSignal): Promise<void> {
    for (const policy of this.#list) await policy.beforeRun?.(signal);
  }

  onPrompt(text: string, earlier: readonly AgentMessage[]): PromptAddition[] {
    return this.#list.flatMap((policy) => policy.onPrompt?.(text, earlier) ?? []);
  }

  /** The first policy that wants a tool has it. */
  readonly choice: StandingChoice = () => {
    for (const policy of this.#list) {
      const choice = policy.choice?.();
      if (choice) return choice;
    }
    return undefined;
  };

  async beforeCall(signal: AbortSignal): Promise<void> {
    for (const policy of this.#list) if (!signal.aborted) await policy.beforeCall?.(signal);
  }

  before(event: AgentEvent): void {
    if (event.type === "message_update") return;
    for (const policy of this.#list) policy.before?.(event);
  }

  after(event: AgentEvent): void {
    if (event.type === "message_update") return;
    for (const policy of this.#list) policy.after?.(event);
  }

  readonly watch: StreamWatcher = (event) => {
    for (const watcher of this.#watchers) {
      const objection = watcher(event);
      if (objection) return objection;
    }
    return undefined;
  };

  isDiscarded(message: AgentMessage): boolean {
    return this.#list.some((policy) => policy.isDiscarded?.(message) ?? false);
  }

  /** A message that is made again leaves the conversation in the file, too. */
  readonly next: Next = async (outcome, signal) => {
    const step = await this.#decide(outcome, signal);
    if (step?.kind === "retry") this.#parts.manager().appendWithdrawal([outcome.message, ...outcome.toolResults]);
    return step;
  };

  async afterRun(): Promise<void> {
    for (const policy of this.#list) await policy.afterRun?.();
  }

  restore(cause: RestoreCause): void {
    for (const policy of this.#list) policy.restore?.(cause);
  }

  async close(): Promise<void> {
    for (const policy of this.#list) await policy.close?.();
  }

  /** The first that wants the failed message forgotten decides alone; what the others want to say is said in one turn. */
  readonly #decide: Next = async (outcome, signal): Promise<NextStep | undefined> => {
    const messages: AgentMessage[] = [];
    for (const policy of this.#list) {
      const step = await policy.next?.(outcome, signal);
      if (signal.aborted) return undefined;
      if (step?.kind === "retry") return step;
      if (step) messages.push(...step.messages);
    }
    return messages.length > 0 ? { kind: "turn", messages } : undefined;
  };

  /**
   * Looked up whenever the loop asks: extensions come and go, and a hook without a handler must cost nothing. Extensions see a
   * call first; a policy that refuses calls would be asked in `toolCall`, with what they made of the arguments.
   */
  #joinHooks(): LoopHooks {
    const { hooks } = this.#parts;
    return {
      get context() {
        return hooks().loop.context;
      },
      get toolCall() {
        return hooks().loop.toolCall;
      },
      get messageEnd() {
        return hooks().loop.messageEnd;
      },
      toolResult: async (call, result) => {
        let amended: ReturnType<NonNullable<RunPolicy["amend"]>>;
        for (const policy of this.#list) {
          const amendment = policy.amend?.(call, { ...result, ...amended });
          if (amendment) amended = { ...amended, ...amendment };
        }
        const changed = await hooks().loop.toolResult?.(call, { ...result, ...amended });
        return amended || changed ? { ...amended, ...changed } : undefined;
      },
    };
  }
}
