import type { AgentEvent, AgentMessage, Clock, LoopHooks, Next } from "@pintle/agent";
import type { Settings } from "../config/settings/settings.ts";
import type { PromptRules } from "../resources/rule-texts.ts";
import type { RuleSet } from "../rules/load-rules.ts";
import { findRulePlaces } from "../rules/rule-places.ts";
import { StreamRules } from "../rules/stream-rules.ts";
import type { SessionManager } from "../storage/session-manager.ts";
import { AutoRetry } from "./auto-retry.ts";
import { ModelFallback } from "./model-fallback.ts";
import type { ModelState } from "./model-state.ts";
import { combineSteps } from "./next-steps.ts";
import type { AgentSessionEvent } from "./session-events.ts";
import type { SessionHooks } from "./session-hooks.ts";

export interface RunPoliciesParts {
  settings: Settings;
  clock: Clock;
  home: string;
  models: ModelState;
  cwd(): string;
  manager(): SessionManager;
  emit(event: AgentSessionEvent): void;
  /** Keeps the conversation within the model's window. */
  compaction: Next;
  /** Leads the model to decide on previews. */
  steering: Next;
  /** Reminds of open tasks. */
  todos: Next;
  hooks(): SessionHooks;
  /** `--no-rules` was not given. */
  hasRules: boolean;
  /** Another object each time they were read again; rules are read again with them. */
  resources(): Promise<object>;
}

/** What decides, beside the model, how a run goes on. Each policy is a file of its own; here is their order. */
export class RunPolicies {
  readonly retry: AutoRetry;
  readonly next: Next;
  readonly hooks: LoopHooks;
  readonly #fallback: ModelFallback;
  readonly #rules: StreamRules;
  readonly #parts: RunPoliciesParts;
  /** What was read together with the rules. */
  #readWith: object | undefined;
  #reading: Promise<void> | undefined;
  #ruleSet: RuleSet | undefined;

  constructor(parts: RunPoliciesParts) {
    const { settings, clock, emit } = parts;
    this.#parts = parts;
    this.retry = new AutoRetry({ settings, clock, emit });
    this.#rules = new StreamRules({
      isEnabled: () => settings.get("ttsr.enabled"),
      contextMode: () => settings.get("ttsr.contextMode"),
      interruptMode: () => settings.get("ttsr.interruptMode"),
      repeat: () => ({ mode: settings.get("ttsr.repeatMode"), gap: settings.get("ttsr.repeatGap") }),
      cwd: parts.cwd,
      now: clock.now,
      emit,
      record: (names) => parts.manager().appendRuleInjection(names),
    });
    this.#fallback = new ModelFallback({ ...parts, isCancelled: () => this.retry.isCancelled });
    const decide = combineSteps([
      this.#rules.next,
      parts.compaction,
      parts.steering,
      this.retry.next,
      this.#fallback.next,
      parts.todos,
    ]);
    this.next = async (outcome, signal) => {
      const step = await decide(outcome, signal);
      if (step?.kind === "retry") parts.manager().appendWithdrawal([outcome.message, ...outcome.toolResults]);
      return step;
    };
    this.hooks = this.#joinHooks();
    this.restore();
  }

  get watch() {
    return this.#rules.watch;
  }

  /** Those that stand in the system prompt. */
  async promptRules(): Promise<PromptRules> {
    await this.#loadRules();
    return this.#ruleSet ?? { always: [], listed: [] };
  }

  /** Before a run. */
  async prepare(): Promise<void> {
    this.#fallback.onPrompt();
    await this.#loadRules();
  }

  async #loadRules(): Promise<void> {
    if (!this.#parts.hasRules) return;
    const resources = await this.#parts.resources();
    if (this.#readWith !== resources) {
      this.#readWith = resources;
      this.#reading = this.#readRules();
    }
    await this.#reading;
  }

  async #readRules(): Promise<void> {
    const places = findRulePlaces({ cwd: this.#parts.cwd(), home: this.#parts.home });
    // Most projects have none, and what reads and matches rules takes a while to load.
    this.#ruleSet =
      places.length === 0 ? undefined : (await import("../rules/load-rules.ts")).loadRules(places, this.#warn);
    this.#rules.rules = this.#ruleSet?.book;
  }

  readonly #warn = (message: string) =>
    this.#parts.emit({ type: "notice", level: "warning", message, source: "rules" });

  /** Looked at whenever the loop asks: extensions come and go, and what nobody handles must cost nothing. */
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
        const noted = this.#rules.amend(call, result);
        const changed = await hooks().loop.toolResult?.(call, { ...result, ...noted });
        return noted || changed ? { ...noted, ...changed } : undefined;
      },
    };
  }

  /** Another conversation is open. */
  restore(): void {
    this.#rules.restore(this.#parts.manager().buildContext().injectedRules);
  }

  /** To be told every event of a run before it is emitted. */
  before(event: AgentEvent): void {
    this.retry.before(event);
    this.#rules.before(event);
  }

  /** To be told every event of a run after it was emitted. */
  after(event: AgentEvent): void {
    this.retry.after(event);
    this.#fallback.after(event);
    this.#rules.after(event);
  }

  /** Whether a message is kept in the history alone. */
  isDiscarded(message: AgentMessage): boolean {
    return this.#rules.isDiscarded(message);
  }
}
