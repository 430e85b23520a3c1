import type OpenAI from "openai";
import type { Usage } from "../messages.ts";
import type { Model } from "../model.ts";
import { toUsage } from "../usage.ts";
import { tokenCount } from "./wire-values.ts";

/** `input_tokens` includes what was read from and written to the cache; ours are disjoint. Reasoning is in the output. */
export function readUsage(model: Model, usage: Partial<OpenAI.Responses.ResponseUsage>): Usage {
  const cacheRead = tokenCount(usage.input_tokens_details?.cached_tokens);
  const cacheWrite = tokenCount(usage.input_tokens_details?.cache_write_tokens);
  return toUsage(model, {
    input: Math.max(0, tokenCount(usage.input_tokens) - cacheRead - cacheWrite),
    output: tokenCount(usage.output_tokens),
    cacheRead,
    cacheWrite,
  });
}
