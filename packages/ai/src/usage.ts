import type { Usage } from "./messages.ts";
import type { Model } from "./model.ts";

export function zeroUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** Adds the prices to token counts. `tokens` are what the provider reported, already split by kind. */
export function toUsage(
  model: Pick<Model, "cost">,
  tokens: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">,
): Usage {
  const { input, output, cacheRead, cacheWrite } = tokens;
  const price = (count: number, perMillion: number) => (count * perMillion) / 1_000_000;
  const cost = {
    input: price(input, model.cost.input),
    output: price(output, model.cost.output),
    cacheRead: price(cacheRead, model.cost.cacheRead),
    cacheWrite: price(cacheWrite, model.cost.cacheWrite),
  };
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite },
  };
}
