import type { Model } from "./model.ts";

/**
 * Whether another tool choice than before makes the provider read all messages again. Anthropic's cache holds them for one
 * choice; gateways put the vendor before the name of the model.
 */
export function isCachedPerToolChoice({ api, id, compat }: Model): boolean {
  return api === "anthropic-messages" || compat?.cacheControlFormat === "anthropic" || id.startsWith("anthropic/");
}
