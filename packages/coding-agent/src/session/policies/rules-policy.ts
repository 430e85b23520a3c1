import type { AgentEvent, AgentMessage, Clock, Next, StreamWatcher, ToolResult } from "@pintle/agent";
import type { ToolCall } from "@pintle/ai";
import type { SessionManager } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { PromptRules } from "../../resources/system-prompt/rule-texts.ts";
import type { RuleSet } from "../../rules/load-rules.ts";
import { findRulePlaces } from "../../rules/rule-places.ts";
import { StreamRules } from "../../rules/stream-rules.ts";
import type { RunPolicy } from "./policy.ts";

export interface RulesPolicyParts {
  settings: Settings;
  clock: Clock;
  /** The configuration directory of pintle. */
  home: string;
  cwd(): string;
  manager(): SessionManager;
  emit(event: AgentSessionEvent): void;
  /** False if `--no-rules` was given. */
  isEnabled: boolean;
  /** Returns a new object each time the resources were read again; rules are then read again, too. */
  resources(): Promise<object>;
}

/** The rules of the project and of the user. They are read before a run and matched during it. */
export class RulesPolicy implements RunPolicy {
  readonly name = "rules";
  readonly watch: StreamWatcher;
  readonly next: Next;
  readonly #parts: RulesPolicyParts;
  readonly #rules: StreamRules;
  /** The resources that were read together with the rules. */
  #readWith: object | undefined;
  #reading: Promise<void> | undefined;
  #ruleSet: RuleSet | undefined;

  constructor(parts: RulesPolicyParts) {
    const { settings, clock, cwd, emit } = parts;
    this.#parts = parts;
    this.#rules = new StreamRules({
      isEnabled: () => settings.get("ttsr.enabled"),
      contextMode: () => settings.get("ttsr.contextMode"),
      interruptMode: () => settings.get("ttsr.interruptMode"),
      repeat: () => ({ mode: settings.get("ttsr.repeatMode"), gap: settings.get("ttsr.repeatGap") }),
      cwd,
      now: clock.now,
      emit,
      record: (names) => parts.manager().appendRuleInjection(names),
    });
    this.watch = this.#rules.watch;
    this.next = this.#rules.next;
    this.restore();
  }

  /** Returns the rules that are part of the system prompt. */
  async promptRules(): Promise<PromptRules> {
    await this.prepare();
    return this.#ruleSet ?? { always: [], listed: [] };
  }

  async prepare(): Promise<void> {
    if (!this.#parts.isEnabled) return;
    const resources = await this.#parts.resources();
    if (this.#readWith !== resources) {
      this.#readWith = resources;
      this.#reading = this.#read();
    }
    await this.#reading;
  }

  before(event: AgentEvent): void {
    this.#rules.before(event);
  }

  after(event: AgentEvent): void {
    this.#rules.after(event);
  }

  isDiscarded(message: AgentMessage): boolean {
    return this.#rules.isDiscarded(message);
  }

  amend(call: ToolCall, result: ToolResult): Partial<ToolResult> | undefined {
    return this.#rules.amend(call, result);
  }

  restore(): void {
    this.#rules.restore(this.#parts.manager().buildContext().injectedRules);
  }

  async #read(): Promise<void> {
    const { cwd, home, emit } = this.#parts;
    const places = findRulePlaces({ cwd: cwd(), home });
    const warn = (message: string) => emit({ type: "notice", level: "warning", message, source: "rules" });
    // Most projects have no rules, and the code that reads and matches them is slow to load.
    this.#ruleSet =
      places.length === 0 ? undefined : (await import("../../rules/load-rules.ts")).loadRules(places, warn);
    this.#rules.rules = this.#ruleSet?.book;
  }
}
