import type { AgentMessage, CustomMessage, NextStep, Outcome, StandingChoice } from "@pintle/agent";
import { isCachedPerToolChoice, type Model } from "@pintle/ai";
import type { Previews } from "./previews.ts";

/** How many requests in a row may fail to produce a decision before steering gives up. */
const MAX_MISSES = 2;

export interface SteeringParts {
  previews: Previews;
  /** The name of the tool that decides. */
  tool: string;
  model(): Model;
  now(): number;
}

/**
 * Leads the model to `resolve` while a preview waits for its decision: a reminder in the conversation for each preview, and
 * a forced tool choice where the provider has one. Gives up until the next prompt if the model does not cooperate.
 */
export class PreviewSteering {
  readonly #parts: SteeringParts;
  readonly #reminded = new Set<string>();
  /** Models whose provider refused a forced choice, for the lifetime of the process. */
  readonly #unforceable = new Set<string>();
  #misses = 0;

  constructor(parts: SteeringParts) {
    this.#parts = parts;
  }

  /** Returns the tool choice for the agent loop. */
  readonly choice: StandingChoice = () => {
    const isSoftTry = this.#isSoft && this.#misses === 0;
    if (!this.#isActive || isSoftTry || !this.#isForceable) return undefined;
    const { tool } = this.#parts;
    return { label: tool, choice: { name: tool } };
  };

  /** Returns why the output of a run must wait, or undefined if no preview is pending or the model is no longer steered. */
  obstacle(): string | undefined {
    if (!this.#isActive) return undefined;
    return `A preview is waiting for a decision: call the tool ${this.#parts.tool} first.`;
  }

  /** Gives the model a new chance when a prompt begins. Returns the messages to add to it. */
  onPrompt(): AgentMessage[] {
    this.#misses = 0;
    return this.#isActive ? this.#newReminders() : [];
  }

  /** Call it when the reminders are no longer in the conversation. */
  forgetReminders(): void {
    this.#reminded.clear();
  }

  /** Decides what follows a turn. */
  readonly next = async (outcome: Outcome): Promise<NextStep | undefined> => {
    if (outcome.state === "failed") return this.#withoutForce(outcome);
    if (!this.#parts.previews.hasPending) this.#misses = 0;
    if (!this.#isActive) return undefined;
    const isMissed = this.#isMiss(outcome);
    this.#misses = isMissed ? this.#misses + 1 : this.#hasDecided(outcome) ? 0 : this.#misses;
    if (!this.#isActive) return undefined;
    const messages = this.#newReminders();
    if (isMissed && outcome.state === "stops" && messages.length === 0) messages.push(this.#remindOfTop());
    return messages.length > 0 ? { kind: "turn", messages } : undefined;
  };

  get #isActive(): boolean {
    const { previews } = this.#parts;
    return previews.hasPending && previews.decider === "model" && this.#misses < MAX_MISSES;
  }

  /** Whether the model is reminded first, and forced only if that had no effect: force would invalidate its cache. */
  get #isSoft(): boolean {
    return isCachedPerToolChoice(this.#parts.model());
  }

  get #isForceable(): boolean {
    const model = this.#parts.model();
    return model.compat?.supportsToolChoice !== false && !this.#unforceable.has(keyOf(model));
  }

  #hasDecided({ message }: Outcome): boolean {
    return message.content.some((block) => block.type === "toolCall" && block.name === this.#parts.tool);
  }

  /** Returns whether the model was asked to decide and did not. A model that cannot be forced may investigate first. */
  #isMiss(outcome: Outcome): boolean {
    if (this.#hasDecided(outcome)) return false;
    if (outcome.choiceLabel !== undefined) return outcome.choiceLabel === this.#parts.tool;
    const wasReminded = this.#parts.previews.pending.some(({ id }) => this.#reminded.has(id));
    return wasReminded && (outcome.state === "stops" || this.#isForceable);
  }

  /** Retries without a forced choice if the provider rejected it with an error. */
  #withoutForce({ choiceLabel, failure, message }: Outcome): NextStep | undefined {
    const isRefused =
      choiceLabel === this.#parts.tool && failure?.status === 400 && /tool.?choice/i.test(message.errorMessage ?? "");
    if (!isRefused) return undefined;
    this.#unforceable.add(keyOf(this.#parts.model()));
    return { kind: "retry" };
  }

  #newReminders(): AgentMessage[] {
    const { pending } = this.#parts.previews;
    const fresh = pending.filter(({ id }) => !this.#reminded.has(id)).toReversed();
    for (const { id } of fresh) this.#reminded.add(id);
    return fresh.map(({ label, sourceToolName }) => this.#reminder(label, sourceToolName));
  }

  #remindOfTop(): AgentMessage {
    const { label, sourceToolName } = this.#parts.previews.pending[0]!;
    return this.#reminder(label, sourceToolName);
  }

  #reminder(label: string, toolName: string): CustomMessage {
    const text = `"${label}" is a preview: nothing has been changed yet. Call the tool ${this.#parts.tool} with action "apply" or "discard" and a reason before you continue.`;
    return {
      role: "custom",
      customType: "resolve-reminder",
      content: text,
      display: false,
      details: { toolName },
      attribution: "agent",
      timestamp: this.#parts.now(),
    };
  }
}

function keyOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}
