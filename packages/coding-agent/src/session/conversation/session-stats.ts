import type { AgentMessage } from "@pintle/agent";
import type { Usage } from "@pintle/ai";
import type { SessionEntry, SessionStats, TokenCounts } from "@pintle/wire";
import { JOB_RESULT_TYPE } from "../../jobs/job-records.ts";

type Counted = Omit<SessionStats, "sessionFile" | "sessionId" | "contextUsage" | "cacheBreaks" | "budget">;

/** Counts over the messages in context, plus sums over all entries of the active path. */
export function countSession(messages: readonly AgentMessage[], path: readonly SessionEntry[]): Counted {
  const roles = (role: AgentMessage["role"]) => messages.filter((message) => message.role === role).length;
  const now = new UsageSum();
  let toolCalls = 0;
  for (const message of messages) {
    now.add(usageOf(message));
    if (message.role === "assistant") toolCalls += message.content.filter((block) => block.type === "toolCall").length;
  }
  const ever = new UsageSum();
  for (const entry of path) ever.add(entryUsage(entry));
  return {
    userMessages: roles("user"),
    assistantMessages: roles("assistant"),
    toolCalls,
    toolResults: roles("toolResult"),
    totalMessages: messages.length,
    tokens: now.tokens,
    premiumRequests: now.premiumRequests,
    cost: now.cost,
    lifetime: { tokens: ever.tokens, cost: ever.cost },
  };
}

export class UsageSum {
  readonly tokens: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  cost = 0;
  premiumRequests = 0;

  add(usage: Partial<Usage> | undefined): void {
    if (!usage) return;
    for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      const count = finite(usage[kind]);
      this.tokens[kind] += count;
      this.tokens.total += count;
    }
    this.cost += finite(usage.cost?.total);
    this.premiumRequests += finite(usage.premiumRequests);
  }
}

/** Returns the usage of a message. Tools that call models themselves report theirs in `details`. */
export function usageOf(message: AgentMessage): Partial<Usage> | undefined {
  if (message.role === "assistant") return message.usage;
  if (message.role === "toolResult") return usageIn(message.details);
  // The result of a subagent in the background, which no call returned.
  if (message.role === "custom" && message.customType === JOB_RESULT_TYPE) return usageIn(message.details);
  return undefined;
}

function usageIn(details: unknown): Partial<Usage> | undefined {
  return (details as { usage?: Partial<Usage> } | null | undefined)?.usage;
}

export function entryUsage(entry: SessionEntry): Partial<Usage> | undefined {
  const fields = entry as {
    customType?: string;
    message?: AgentMessage;
    usage?: Partial<Usage>;
    details?: { usage?: Partial<Usage> };
  };
  if (entry.type === "custom_message" && fields.customType === JOB_RESULT_TYPE) return fields.details?.usage;
  if (entry.type === "message") return fields.message && usageOf(fields.message);
  if (entry.type === "compaction") return fields.usage ?? fields.details?.usage;
  return entry.type === "model_usage" || entry.type === "usage" ? fields.usage : undefined;
}

/** Returns a finite number, because session files of other programs may contain anything. */
function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
