import type { AgentMessage } from "@pintle/agent";
import type { Usage } from "@pintle/ai";
import type { BudgetUsed, SessionEntry } from "@pintle/wire";
import { entryUsage, UsageSum, usageOf } from "../conversation/session-stats.ts";

/** What was used, but for the time. */
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
    if (message.role !== "assistant" || !Array.isArray(message.content)) return;
    if (wasCalled(message)) this.#turns += 1;
    this.#toolCalls += message.content.filter((block) => block.type === "toolCall").length;
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
