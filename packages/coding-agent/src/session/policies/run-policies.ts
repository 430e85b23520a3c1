import type { AgentEvent, AgentMessage, LoopHooks, Next, NextStep, ToolResult } from "@pintle/agent";
import type { ToolCall } from "@pintle/ai";
import type { SessionManager } from "@pintle/storage";
import type { SessionHooks } from "../session-hooks.ts";
import type { PromptAddition, RestoreCause, RunPolicy } from "./policy.ts";

export interface RunPoliciesParts {
  manager(): SessionManager;
  hooks(): SessionHooks;
  /** Changes the result of a tool before extensions receive it. */
  amend(call: ToolCall, result: ToolResult): Partial<ToolResult> | undefined;
}

/** Combines the policies of a session: every step runs in the order of the list. */
export class RunPolicies {
  readonly hooks: LoopHooks;
  readonly #list: readonly RunPolicy[];
  readonly #parts: RunPoliciesParts;

  constructor(list: readonly RunPolicy[], parts: RunPoliciesParts) {
    this.#list = list;
    this.#parts = parts;
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

  before(event: AgentEvent): void {
    if (event.type === "message_update") return;
    for (const policy of this.#list) policy.before?.(event);
  }

  after(event: AgentEvent): void {
    if (event.type === "message_update") return;
    for (const policy of this.#list) policy.after?.(event);
  }

  /** Combines the policies' `next`. A message that is generated again is also dropped from the stored conversation. */
  readonly next: Next = async (outcome, signal) => {
    const step = await this.#decide(outcome, signal);
    if (step?.kind === "retry") this.#parts.manager().appendWithdrawal([outcome.message, ...outcome.toolResults]);
    return step;
  };

  restore(cause: RestoreCause): void {
    for (const policy of this.#list) policy.restore?.(cause);
  }

  async close(): Promise<void> {
    for (const policy of this.#list) await policy.close?.();
  }

  /** The first policy that drops the failed message decides alone; the messages of all others are sent in one turn. */
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
   * Returns the hooks for the loop, at each use: extensions come and go, and a hook without a handler must cost nothing. Extensions
   * see a call first; a policy that refuses calls would check, in `toolCall`, the arguments that they have changed.
   */
  #joinHooks(): LoopHooks {
    const { hooks, amend } = this.#parts;
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
        const amended = amend(call, result);
        const changed = await hooks().loop.toolResult?.(call, { ...result, ...amended });
        return amended || changed ? { ...amended, ...changed } : undefined;
      },
    };
  }
}
