import { type AgentMessage, isOutputResult } from "@pintle/agent";
import type { Usage } from "@pintle/ai";
import type { BudgetUsed, SessionEntry } from "@pintle/wire";
import { entryUsage, UsageSum, usageOf } from "../conversation/session-stats.ts";

/** What was used, except time. */
export class Spending {
  readonly #sum = new UsageSum();
  #turns = 0;
  #toolCalls = 0;

  /** Adds up the entries of a session. */
  static of(path: readonly SessionEntry[]): Spending {
    const spending = new Spending();
    for (const entry of path) {
      if (entry.type === "message") spending.addMessage((entry as { message?: AgentMessage }).message);
      else spending.addUsage(entryUsage(entry));
    }
    return spending;
  }

  /** Adds a finished message: an answer of the model, or the result of a tool that called models itself. */
  addMessage(message: AgentMessage | undefined): void {
    if (!message) return;
    this.addUsage(usageOf(message));
    // The call was counted with the message that made it, before its result showed that it only delivers the output.
    if (message.role === "toolResult" && isOutputResult(message)) this.#toolCalls -= 1;
    if (message.role !== "assistant" || !Array.isArray(message.content)) return;
    if (wasCalled(message)) this.#turns += 1;
    this.#toolCalls += message.content.filter((block) => block.type === "toolCall").length;
  }

  /** Counts a call that a tool made, because no message contains it. */
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

/** Whether the model was called: a run that ends before a model call leaves an empty message. */
function wasCalled({ stopReason, content, usage }: Extract<AgentMessage, { role: "assistant" }>): boolean {
  return stopReason !== "aborted" || content.length > 0 || (usage?.totalTokens ?? 0) > 0;
}
