import { type AgentMessage, isOutputResult } from "@pintle/agent";
import type { Usage } from "@pintle/ai";
import type { BudgetUsed, SessionEntry } from "@pintle/wire";
import { entryUsage, UsageSum, usageOf } from "../conversation/session-stats.ts";

/** What was used, except the time. */
export class Spending {
  readonly #sum = new UsageSum();
  #turns = 0;
  #toolCalls = 0;

  /** What the entries of a session say. */
  static of(path: readonly SessionEntry[]): Spending {
    const spending = new Spending();
    for (const entry of path) {
      if (entry.type === "message") spending.addMessage((entry as { message?: AgentMessage }).message);
      else spending.addUsage(entryUsage(entry));
    }
    return spending;
  }

  /** One that ended: an answer of the model, or the result of a tool that asked models itself. */
  addMessage(message: AgentMessage | undefined): void {
    if (!message) return;
    this.addUsage(usageOf(message));
    // It was counted with the message that made the call, before it was known for what it is.
    if (message.role === "toolResult" && isOutputResult(message)) this.#toolCalls -= 1;
    if (message.role !== "assistant" || !Array.isArray(message.content)) return;
    if (wasCalled(message)) this.#turns += 1;
    this.#toolCalls += message.content.filter((block) => block.type === "toolCall").length;
  }

  /** A call that a tool made; no message has it. */
  addNestedCall(): void {
    this.#toolCalls += 1;
  }

  addUsage(usage: Partial<Usage> | undefined): void {
    this.#sum.add(usage);
  }

  used(wallMs: number): BudgetUsed {
    const { cost, tokens } = this.#sum;
    return { costUsd: cost, tokens: tokens.total, turns: this.#turns, wallMs, toolCalls: this.#toolCalls };
  }
}

/** A run that is ended before a model call leaves an empty message behind. */
function wasCalled({ stopReason, content, usage }: Extract<AgentMessage, { role: "assistant" }>): boolean {
  return stopReason !== "aborted" || content.length > 0 || (usage?.totalTokens ?? 0) > 0;
}
