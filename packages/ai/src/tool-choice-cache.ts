import type { Model } from "./model.ts";

/**
 * Returns whether a different tool choice makes the provider read all messages again. Anthropic caches them per tool
 * choice; gateways put the vendor before the name of the model.
 */
export function isCachedPerToolChoice({ api, id, compat }: Model): boolean {
  return api === "anthropic-messages" || compat?.cacheControlFormat === "anthropic" || id.startsWith("anthropic/");
}
