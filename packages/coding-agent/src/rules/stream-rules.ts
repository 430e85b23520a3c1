import type { AgentEvent, AgentMessage, CustomMessage, NextStep, Objection, Outcome, ToolResult } from "@pintle/agent";
import { type AssistantUpdateEvent, isRecord, type ToolCall } from "@pintle/ai";
import type { Rule, RuleInterruptMode } from "./rule.ts";
import type { RuleBook } from "./rule-book.ts";
import type { RuleHit, RuleMatcher } from "./rule-matcher.ts";

const INJECTION = "ttsr-injection";
/** Maximum number of interruptions per run, because a model may break rules again and again. */
const MAX_INTERRUPTS = 5;

/** A rule as reported to hosts. */
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
  /** Called when these rules have been added to the conversation. */
  record(names: string[]): void;
}

/**
 * Applies rules to the model's output. A rule that matches stops the answer and is sent to the model, which answers again. A
 * rule that must not interrupt is sent after the answer.
 */
export class StreamRules {
  rules: RuleBook | undefined;
  readonly #parts: StreamRulesParts;
  /** Maps a rule's name to the number of finished turns when it was injected. */
  readonly #injectedAt = new Map<string, number>();
  #turns = 0;
  #interrupts = 0;
  #matcher: RuleMatcher | undefined;
  /** Rules that stopped the answer, to be sent with the next request. */
  #cut: { hits: readonly RuleHit[]; discard: boolean } | undefined;
  /** Rules matched in text without stopping it. */
  #notes: RuleHit[] = [];
  /** Rules matched in a call without stopping it, by call. */
  readonly #callNotes = new Map<string, RuleHit[]>();

  constructor(parts: StreamRulesParts) {
    this.#parts = parts;
  }

  /** Switches to another conversation, which already contains the rules with these names. */
  restore(names: readonly string[]): void {
    this.#forget();
    this.#injectedAt.clear();
    for (const name of names) this.#injectedAt.set(name, this.#turns);
  }

  /** Receives every event of a run before it is emitted. */
  before(event: AgentEvent): void {
    if (event.type === "agent_start") this.#interrupts = 0;
    if (event.type === "agent_start" || event.type === "agent_end") this.#forget();
    if (event.type === "turn_end" && isFinished(event.message)) this.#turns += 1;
    if (event.type === "message_start" && event.message.role === "assistant") {
      this.#forget();
      this.#matcher = this.#parts.isEnabled() ? this.rules?.watch(this.#parts.cwd()) : undefined;
    }
  }

  /** Receives every event of a run after it was emitted. */
  after(event: AgentEvent): void {
    if (event.type !== "message_end") return;
    const { message } = event;
    if (message.role === "custom" && message.customType === INJECTION) {
      this.#report(rulesIn(message));
    } else if (message.role === "toolResult") {
      const hits = this.#callNotes.get(message.toolCallId);
      const [first] = message.content;
      if (hits && first?.type === "text" && first.text === textOf(hits)) this.#report(namesOf(hits));
    }
  }

  /** Returns whether a message was stopped; it then stays in the history but leaves the conversation. */
  isDiscarded(message: AgentMessage): boolean {
    if (!this.#cut?.discard) return false;
    return message.role === "assistant" || message.role === "toolResult";
  }

  readonly watch = (event: AssistantUpdateEvent): Objection | undefined => {
    const found = this.#matcher?.read(event);
    if (!found || found.length === 0) return undefined;
    const hits = found.filter(({ rule }) => this.#mayTell(rule));
    if (hits.length === 0) return undefined;
    const isInterrupting = this.#interrupts < MAX_INTERRUPTS && hits.some((hit) => this.#mayInterrupt(hit));
    if (!isInterrupting) {
      for (const hit of hits) this.#note(hit);
      return undefined;
    }
    this.#interrupts += 1;
    const discard = this.#parts.contextMode() === "discard";
    this.#cut = { hits, discard };
    this.#parts.emit({ type: "ttsr_triggered", rules: hits.map(describe) });
    return {
      reason: `Stopped by ${hits.length === 1 ? "the rule" : "the rules"} ${namesOf(hits).join(", ")}`,
      discard,
    };
  };

  /** Decides what follows a turn. */
  readonly next = async ({ state }: Outcome): Promise<NextStep | undefined> => {
    const cut = this.#cut;
    const notes = this.#notes;
    this.#forget();
    if (cut && state === "failed") return { kind: "turn", messages: [this.#injection(cut.hits)] };
    return notes.length > 0 && state !== "failed" ? { kind: "turn", messages: [this.#injection(notes)] } : undefined;
  };

  /** Inserts the rules that matched a call's arguments before its result. */
  amend({ id }: ToolCall, result: ToolResult): Partial<ToolResult> | undefined {
    const hits = this.#callNotes.get(id);
    return hits && { content: [{ type: "text", text: textOf(hits) }, ...result.content] };
  }

  #mayInterrupt({ rule, kind }: RuleHit): boolean {
    const mode = rule.interruptMode ?? this.#parts.interruptMode();
    return mode === "always" || mode === (kind === "tool" ? "tool-only" : "prose-only");
  }

  #note(hit: RuleHit): void {
    if (hit.toolCallId === undefined) this.#notes.push(hit);
    else this.#callNotes.set(hit.toolCallId, [...(this.#callNotes.get(hit.toolCallId) ?? []), hit]);
  }

  #mayTell(rule: Rule): boolean {
    const injectedAt = this.#injectedAt.get(rule.name);
    const isWaiting = [...this.#notes, ...[...this.#callNotes.values()].flat()].some((hit) => hit.rule === rule);
    if (isWaiting) return false;
    if (injectedAt === undefined) return true;
    const { mode, gap } = this.#parts.repeat();
    // Without a gap, the model could be reminded forever.
    return mode === "after-gap" && this.#turns - injectedAt >= Math.max(1, gap);
  }

  #report(names: string[]): void {
    if (names.length === 0) return;
    for (const name of names) this.#injectedAt.set(name, this.#turns);
    this.#parts.record(names);
  }

  #forget(): void {
    this.#cut = undefined;
    this.#notes = [];
    this.#callNotes.clear();
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

function isFinished(message: AgentMessage): boolean {
  return message.role === "assistant" && message.stopReason !== "aborted" && message.stopReason !== "error";
}

/** Returns the rule names in a message, which a hook may have replaced. */
function rulesIn({ details }: CustomMessage): string[] {
  const rules = isRecord(details) ? details.rules : undefined;
  return Array.isArray(rules) ? rules.filter((name) => typeof name === "string") : [];
}

function namesOf(hits: readonly RuleHit[]): string[] {
  return hits.map(({ rule }) => rule.name);
}

function textOf(hits: readonly RuleHit[]): string {
  return hits
    .map(
      ({ rule }) =>
        `Your output is against the rule "${rule.name}" (${rule.path}). It is enforced in this project; follow it from here on:\n\n${rule.content}`,
    )
    .join("\n\n");
}

function describe({ rule }: RuleHit): TriggeredRule {
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
