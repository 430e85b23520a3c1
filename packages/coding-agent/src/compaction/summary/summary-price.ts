import type { Model, Usage } from "@pintle/ai";

/** The two ways to request a summary, in tokens. */
export interface SummaryWays {
  /** Size of the conversation, for a request that continues it. */
  conversation: number;
  /** The usage of the newest answer to the conversation, the only evidence of a cache. */
  usage: Pick<Usage, "cacheRead" | "cacheWrite">;
  /** Size of the text of a separate request. */
  text: number;
  /** The model thinks in a request that continues the conversation, but not in a separate one. */
  thinks: boolean;
}

/** Rough number of thinking tokens for a summary. */
const THOUGHT_TOKENS = 1_500;
/** Typical price ratios, for a model without prices. */
const USUAL: Model["cost"] = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

/**
 * Returns whether it is cheaper to continue the conversation, most of which the provider has cached, than to send its
 * text separately. The text is shorter, because long tool output is cut; the conversation costs a tenth of the price to
 * read, or nothing.
 */
export function isCheaperInPlace({ conversation, usage, text, thinks }: SummaryWays, { cost }: Pick<Model, "cost">) {
  const price = cost.input > 0 ? cost : USUAL;
  const cached = Math.min(conversation, usage.cacheRead + usage.cacheWrite);
  const rest = (conversation - cached) * Math.max(price.input, price.cacheWrite);
  const inPlace = cached * price.cacheRead + rest + (thinks ? THOUGHT_TOKENS * price.output : 0);
  return cached > 0 && inPlace < text * price.input;
}
