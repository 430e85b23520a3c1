import type { Usage } from "../../messages.ts";
import type { Model } from "../../model.ts";
import { toUsage } from "../../usage.ts";
import { tokenCount } from "../wire-values.ts";
import type { WireUsage } from "./wire.ts";

/** `prompt_tokens` includes what was read from and written to the cache; ours are disjoint. */
export function readUsage(model: Model, usage: WireUsage): Usage {
  const prompt = tokenCount(usage.prompt_tokens);
  const completion = tokenCount(usage.completion_tokens);
  const reasoning = tokenCount(usage.completion_tokens_details?.reasoning_tokens);
  const cacheRead = tokenCount(
    usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
  );
  const cacheWrite = tokenCount(usage.prompt_tokens_details?.cache_write_tokens);
  // Some servers leave the reasoning out of the completion; then only the total shows that it was paid for.
  const isReasoningExtra = tokenCount(usage.total_tokens) === prompt + completion + reasoning;
  return toUsage(model, {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    output: completion + (isReasoningExtra ? reasoning : 0),
    cacheRead,
    cacheWrite,
    reasoning,
  });
}
