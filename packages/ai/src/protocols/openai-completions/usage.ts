import type { Usage } from "../../messages.ts";
import type { Model } from "../../model.ts";
import { toUsage } from "../../usage.ts";
import { tokenCount } from "../wire-values.ts";
import type { WireUsage } from "./wire.ts";

/** `prompt_tokens` includes tokens read from and written to the cache; our counts are disjoint. */
export function readUsage(model: Model, usage: WireUsage): Usage {
  const prompt = tokenCount(usage.prompt_tokens);
  const completion = tokenCount(usage.completion_tokens);
  const reasoning = tokenCount(usage.completion_tokens_details?.reasoning_tokens);
  const cacheRead = tokenCount(
    usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
  );
  const cacheWrite = tokenCount(usage.prompt_tokens_details?.cache_write_tokens);
  // Some servers exclude reasoning from the completion count; only the total shows that it was billed.
  const isReasoningExtra = tokenCount(usage.total_tokens) === prompt + completion + reasoning;
  const priced = toUsage(model, {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    output: completion + (isReasoningExtra ? reasoning : 0),
    cacheRead,
    cacheWrite,
    reasoning,
  });
  const { cost } = usage;
  const isReported = typeof cost === "number" && Number.isFinite(cost) && cost >= 0;
  return isReported ? { ...priced, cost: { ...priced.cost, total: cost, totalFromProvider: true } } : priced;
}
