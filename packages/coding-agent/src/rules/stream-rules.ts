import type { AgentEvent, AgentMessage, CustomMessage, NextStep, Outcome, ToolResult } from "@pintle/agent";
import type { AssistantUpdateEvent, ToolCall } from "@pintle/ai";
import type { RuleInterruptMode } from "./rule.ts";
import { type RuleHit, RuleMatcher } from "./rule-matcher.ts";
import type { WatchedRule } from "./watched-rule.ts";

const INJECTION = "ttsr-injection";
/** A model that keeps breaking rules would never come to an end. */
const MAX_INTERRUPTS = 5;

/** A rule as hosts are told of it. */
export interface TriggeredRule {
  name: string;
  path: string;
  content: string;
  description?: string;
  condition?: string[];
  scope?: string[];
  globs?: string[];
  interruptMode?: string;
}

export interface StreamRulesParts {
  isEnabled(): boolean;
  contextMode(): "discard" | "keep";
  interruptMode(): RuleInterruptMode;
  repeat(): { mode: "once" | "after-gap"; gap: number };
  cwd(): string;
  now(): number;
  emit(event: { type: "ttsr_triggered"; rules: TriggeredRule[] }): void;
  /** These rules are in the conversation now. */
  record(names: string[]): void;
}

/**
 * Rules that watch the model's output. One that matches stops the answer, is told to the model, and the answer is made
 * again; where it must not interrupt, it is told afterwards.
 */
export class StreamRules {
  rules: readonly WatchedRule[] = [];
  readonly #parts: StreamRulesParts;
  /** Name → number of turns when it was told. */
  readonly #told = new Map<string, number>();
  #turns = 0;
  #interrupts = 0;
  #matcher: RuleMatcher | undefined;
  /** Rules that stopped the answer; told with the next one. */
  #cut: RuleHit[] = [];
  /** Rules found in prose that did not stop it. */
  #notes: RuleHit[] = [];
  /** Rules found in a call that did not stop it, by call. */
  readonly #callNotes = new Map<string, RuleHit[]>();
  /** Calls whose result tells a rule. */
  readonly #amended = new Set<string>();

  constructor(parts: StreamRulesParts) {
    this.#parts = parts;
  }

  /** Another conversation is open, in which these were told. */
  restore(names: readonly string[]): void {
    this.#told.clear();
    for (const name of names) this.#told.set(name, this.#turns);
  }

  /** To be told every event of a run before it is emitted. */
  before(event: AgentEvent): void {
    if (event.type === "agent_start") this.#interrupts = 0;
    if (event.type === "agent_start" || event.type === "agent_end") this.#forget();
    if (event.type === "turn_end") this.#turns += 1;
    if (event.type === "message_start" && event.message.role === "assistant") {
      this.#forget();
      const isWatching = this.#parts.isEnabled() && this.rules.length > 0;
      this.#matcher = isWatching ? new RuleMatcher(this.rules, this.#parts.cwd()) : undefined;
    }
  }

  /** To be told every event of a run after it was emitted: what was stored counts as told. */
  after(event: AgentEvent): void {
    if (event.type !== "message_end") return;
    const { message } = event;
    if (message.role === "custom" && message.customType === INJECTION) {
      this.#tell((message.details as { rules: string[] }).rules);
    } else if (message.role === "toolResult") {
      const hits = this.#callNotes.get(message.toolCallId) ?? [];
      this.#callNotes.delete(message.toolCallId);
      if (this.#amended.delete(message.toolCallId)) this.#tell(namesOf(hits));
    }
  }

  /** The message that was stopped is kept in the history but leaves the conversation. */
  isDiscarded(message: AgentMessage): boolean {
    if (this.#cut.length === 0 || this.#parts.contextMode() === "keep") return false;
    return message.role === "assistant" || message.role === "toolResult";
  }

  readonly watch = (event: AssistantUpdateEvent): string | undefined => {
    const hits = this.#matcher?.read(event).filter(({ rule }) => this.#mayTell(rule)) ?? [];
    if (hits.length === 0) return undefined;
    const isInterrupting = this.#interrupts < MAX_INTERRUPTS && hits.some((hit) => this.#mayInterrupt(hit));
    if (!isInterrupting) {
      for (const hit of hits) this.#note(hit);
      return undefined;
    }
    this.#interrupts += 1;
    this.#cut = hits;
    this.#parts.emit({ type: "ttsr_triggered", rules: hits.map(describe) });
    return `Stopped by ${hits.length === 1 ? "the rule" : "the rules"} ${namesOf(hits).join(", ")}`;
  };

  /** What follows a turn. */
  readonly next = async ({ state }: Outcome): Promise<NextStep | undefined> => {
    const cut = this.#cut;
    const notes = this.#notes;
    this.#forget();
    if (cut.length > 0 && state === "failed") {
      const messages = [this.#injection(cut)];
      return { kind: this.#parts.contextMode() === "keep" ? "turn" : "retry", messages };
    }
    return notes.length > 0 && state !== "failed" ? { kind: "turn", messages: [this.#injection(notes)] } : undefined;
  };

  /** Puts what was found in a call's arguments before its result. */
  amend({ id }: ToolCall, result: ToolResult): Partial<ToolResult> | undefined {
    const hits = this.#callNotes.get(id);
    if (hits) this.#amended.add(id);
    return hits && { content: [{ type: "text", text: textOf(hits) }, ...result.content] };
  }

  #mayInterrupt({ rule, stream }: RuleHit): boolean {
    const mode = rule.rule.interruptMode ?? this.#parts.interruptMode();
    return mode === "always" || mode === (stream.kind === "tool" ? "tool-only" : "prose-only");
  }

  #note(hit: RuleHit): void {
    if (hit.toolCallId === undefined) this.#notes.push(hit);
    else this.#callNotes.set(hit.toolCallId, [...(this.#callNotes.get(hit.toolCallId) ?? []), hit]);
  }

  #mayTell({ rule }: WatchedRule): boolean {
    const toldAt = this.#told.get(rule.name);
    const isWaiting = [...this.#notes, ...[...this.#callNotes.values()].flat()].some((hit) => hit.rule.rule === rule);
    if (isWaiting) return false;
    if (toldAt === undefined) return true;
    const { mode, gap } = this.#parts.repeat();
    return mode === "after-gap" && this.#turns - toldAt >= gap;
  }

  #tell(names: string[]): void {
    for (const name of names) this.#told.set(name, this.#turns);
    this.#parts.record(names);
  }

  #forget(): void {
    this.#cut = [];
    this.#notes = [];
  }

  #injection(hits: readonly RuleHit[]): CustomMessage {
    return {
      role: "custom",
      customType: INJECTION,
      content: textOf(hits),
      display: false,
      details: { rules: namesOf(hits) },
      attribution: "agent",
      timestamp: this.#parts.now(),
    };
  }
}

function namesOf(hits: readonly RuleHit[]): string[] {
  return hits.map(({ rule }) => rule.rule.name);
}

function textOf(hits: readonly RuleHit[]): string {
  return hits
    .map(
      ({ rule: { rule } }) =>
        `Your output is against the rule "${rule.name}" (${rule.path}). It is enforced in this project; follow it from here on:\n\n${rule.content}`,
    )
    .join("\n\n");
}

function describe({ rule: { rule } }: RuleHit): TriggeredRule {
  const { name, path, content, description, condition, scope, globs, interruptMode } = rule;
  return {
    name,
    path,
    content,
    ...(description !== undefined && { description }),
    condition,
    ...(scope.length > 0 && { scope }),
    ...(globs.length > 0 && { globs }),
    ...(interruptMode && { interruptMode }),
  };
}
