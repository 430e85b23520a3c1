import type { AssistantMessage, Usage } from "./messages.ts";
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

/** Adds a usage to a total. */
export function addUsage(total: Usage, usage: Usage): void {
  for (const kind of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const) total[kind] += usage[kind];
  for (const kind of ["input", "output", "cacheRead", "cacheWrite", "total"] as const) {
    total.cost[kind] += usage.cost[kind];
  }
}

/** The tokens that the provider counted for the request alone. */
export function promptTokens({
  input,
  cacheRead,
  cacheWrite,
}: Pick<Usage, "input" | "cacheRead" | "cacheWrite">): number {
  return input + cacheRead + cacheWrite;
}

/** Returns the size of the conversation including the answer. Some servers send no total. */
export function contextTokens(usage: Usage): number {
  return usage.totalTokens || promptTokens(usage) + usage.output;
}

/** Returns whether the usage of a message shows the size of the conversation. */
export function isMeasure({ stopReason, usage }: AssistantMessage): boolean {
  return stopReason !== "error" && stopReason !== "aborted" && contextTokens(usage) > 0;
}

/** Adds prices to token counts. `tokens` are what the provider reported, already split by kind. */
export function toUsage(
  model: Pick<Model, "cost">,
  tokens: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "reasoning">,
): Usage {
  const { input, output, cacheRead, cacheWrite, reasoning = 0 } = tokens;
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
    totalTokens: promptTokens(tokens) + output,
    ...(reasoning > 0 && { reasoning }),
    cost: {
      ...cost,
      total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite,
      totalFromProvider: false,
    },
  };
}
