import type { Model } from "../model.ts";

/** What is assumed of a model that has no description. */
export const UNDESCRIBED = {
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 16_384,
} satisfies Partial<Model>;

/** False: nobody has said what the model costs. A price of nothing that is stated is known. */
export function hasKnownPrice({ cost }: Pick<Model, "cost">): boolean {
  return cost !== UNDESCRIBED.cost;
}
