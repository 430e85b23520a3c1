import type { Model } from "../model.ts";

/** Defaults for a model without a description. */
export const UNDESCRIBED = {
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 16_384,
} satisfies Partial<Model>;

/** False if the model's cost is unknown. A stated price of zero is known. */
export function hasKnownPrice({ cost }: Pick<Model, "cost">): boolean {
  return cost !== UNDESCRIBED.cost;
}
