import type { ModelContext } from "./protocols/protocol.ts";

/**
 * A request in the order in which a provider's cache reads it: tools, system prompt, messages. An unchanged prefix need
 * not be read again. It may contain the cache's own marks.
 */
export interface RequestPrefix {
  tools: readonly unknown[];
  system: unknown;
  /** Fields other than the text that affect whether messages are found in the cache; absent if the API ignores them. */
  toolChoice?: unknown;
  thinking?: unknown;
  /** In the smallest units that the API may extend: blocks, where adjacent messages of one role are merged. */
  messages: readonly unknown[];
}

export type RequestObserver = (prefix: RequestPrefix) => void;

/** Returns the prefix of a request that other code builds. */
export function contextPrefix({ tools = [], systemPrompt, messages }: ModelContext): RequestPrefix {
  return { tools, system: systemPrompt, messages };
}
