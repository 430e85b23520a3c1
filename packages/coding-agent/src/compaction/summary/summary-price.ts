import type { Model, Usage } from "@pintle/ai";

/** The two ways to ask for a summary, in tokens. */
export interface SummaryWays {
  /** Of the conversation, in a request that goes on with it. */
  conversation: number;
  /** What the newest answer to the conversation was charged for: the only evidence of a cache. */
  usage: Pick<Usage, "cacheRead" | "cacheWrite">;
  /** Of the text that a request of its own would have. */
  text: number;
  /** The model thinks in a request that goes on with the conversation; in one of its own it does not. */
  thinks: boolean;
}

/** What a model writes to itself about a summary, roughly. */
const THOUGHT_TOKENS = 1_500;
/** What prices usually are to each other, for a model without any. */
const USUAL: Model["cost"] = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

/**
 * Whether it is cheaper to go on with the conversation, most of which the provider has cached, than to send its text anew. The
 * text is shorter, since long output of tools is cut; the conversation is read for a tenth of the price, or not at all.
 */
export function isCheaperInPlace({ conversation, usage, text, thinks }: SummaryWays, { cost }: Pick<Model, "cost">) {
  const price = cost.input > 0 ? cost : USUAL;
  const cached = Math.min(conversation, usage.cacheRead + usage.cacheWrite);
  const rest = (conversation - cached) * Math.max(price.input, price.cacheWrite);
  const inPlace = cached * price.cacheRead + rest + (thinks ? THOUGHT_TOKENS * price.output : 0);
  return cached > 0 && inPlace < text * price.input;
}
