import type { Usage } from "../messages.ts";
import type { Model } from "../model.ts";
import { tokenCount } from "../protocols/wire-values.ts";
import { toUsage } from "../usage.ts";

interface InputTokens {
  total?: unknown;
  noCache?: unknown;
  cacheRead?: unknown;
  cacheWrite?: unknown;
}

export interface SdkUsage {
  /** A number in version 2; later versions split it by kind. */
  inputTokens?: unknown;
  outputTokens?: unknown;
  cachedInputTokens?: unknown;
}

/** Version 2 has one field for what vendors count differently: Claude's input excludes tokens read from the cache. */
export function readUsage(model: Model, provider: string, usage: SdkUsage, metadata: unknown): Usage {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  if (typeof inputTokens === "object" && inputTokens !== null) {
    const { total, noCache, cacheRead, cacheWrite }: InputTokens = inputTokens;
    const [read, written] = [tokenCount(cacheRead), tokenCount(cacheWrite)];
    const fresh = typeof noCache === "number" ? tokenCount(noCache) : Math.max(0, tokenCount(total) - read - written);
    const output = tokenCount((outputTokens as { total?: unknown } | undefined)?.total);
    return toUsage(model, { input: fresh, output, cacheRead: read, cacheWrite: written });
  }
  const cacheRead = tokenCount(cachedInputTokens);
  const { anthropic, bedrock } = (metadata ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const cacheWrite = tokenCount(
    anthropic?.cacheCreationInputTokens ??
      (bedrock?.usage as Record<string, unknown> | undefined)?.cacheWriteInputTokens,
  );
  const isCacheExtra = /anthropic|bedrock/.test(provider) || anthropic !== undefined;
  const input = tokenCount(inputTokens);
  return toUsage(model, {
    input: isCacheExtra ? input : Math.max(0, input - cacheRead),
    output: tokenCount(outputTokens),
    cacheRead,
    cacheWrite,
  });
}
