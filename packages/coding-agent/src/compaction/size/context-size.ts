import type { AgentMessage } from "@pintle/agent";
import { type AssistantMessage, contextTokens, isMeasure } from "@pintle/ai";
import { pastSaving } from "./pruned-output.ts";
import { estimateTokens } from "./token-estimate.ts";

/**
 * Measures a conversation. Because this happens after every turn, it measures only new messages; it recounts everything only if
 * the conversation was replaced.
 */
export class ContextSize {
  #messages: readonly AgentMessage[] = [];
  #counted = 0;
  #estimate = 0;
  #sinceMeasure = 0;
  #measure: AssistantMessage | undefined;
  #lastAnswer: AssistantMessage | undefined;
  #compactedAt = Number.NEGATIVE_INFINITY;
  #lastCounted: AgentMessage | undefined;
  #savings: { prunedAt: number; tokens: number }[] = [];

  constructor(messages: readonly AgentMessage[] = []) {
    this.update(messages);
  }

  update(messages: readonly AgentMessage[]): void {
    const isSame = messages === this.#messages && messages[this.#counted - 1] === this.#lastCounted;
    if (!isSame) this.#reset(messages);
    for (; this.#counted < messages.length; this.#counted += 1) this.#add(messages[this.#counted]!);
    this.#lastCounted = messages[this.#counted - 1];
  }

  /**
   * Returns the provider's last count plus an estimate of what came after it. Without such a count, returns an estimate of
   * everything, including `overheadTokens`. Never returns less than the estimate of the messages.
   */
  tokens(overheadTokens: () => number): number {
    const counted = this.#measure
      ? contextTokens(this.#measure.usage) - this.#savedSinceMeasure() + this.#sinceMeasure
      : overheadTokens() + this.#estimate;
    return Math.max(counted, this.#estimate);
  }

  /** Size of the messages alone. */
  get estimate(): number {
    return this.#estimate;
  }

  /** The newest answer whose usage is valid for the current conversation. */
  get measure(): AssistantMessage | undefined {
    return this.#measure;
  }

  get lastAnswer(): AssistantMessage | undefined {
    return this.#lastAnswer;
  }

  /** True if there is no answer since the last compaction. The usage of older answers describes another context. */
  get isFreshlyCompacted(): boolean {
    const { timestamp } = this.#lastAnswer ?? { timestamp: 0 };
    return timestamp <= this.#compactedAt;
  }

  #add(message: AgentMessage): void {
    const tokens = estimateTokens(message);
    this.#estimate += tokens;
    this.#sinceMeasure += tokens;
    if (message.role === "compactionSummary") this.#compactedAt = Math.max(this.#compactedAt, message.timestamp);
    const saving = pastSaving(message);
    if (saving) this.#savings.push(saving);
    if (message.role !== "assistant") return;
    this.#lastAnswer = message;
    if (!isMeasure(message) || message.timestamp <= this.#compactedAt) return;
    this.#measure = message;
    this.#sinceMeasure = 0;
  }

  /** Returns the tokens that pruning has freed since the last count, which still includes them. */
  #savedSinceMeasure(): number {
    const since = this.#measure?.timestamp ?? 0;
    this.#savings = this.#savings.filter(({ prunedAt }) => prunedAt > since);
    return this.#savings.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  #reset(messages: readonly AgentMessage[]): void {
    this.#messages = messages;
    this.#counted = 0;
    this.#estimate = 0;
    this.#sinceMeasure = 0;
    this.#measure = undefined;
    this.#lastAnswer = undefined;
    this.#compactedAt = Number.NEGATIVE_INFINITY;
    this.#savings = [];
  }
}
