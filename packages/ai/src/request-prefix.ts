import type { ModelContext } from "./protocols/protocol.ts";

/**
 * A request in the order in which a provider's cache reads it: tools, system prompt, messages. What is the same from the front
 * need not be read again. Marks of the cache itself may stand in it.
 */
export interface RequestPrefix {
  tools: readonly unknown[];
  system: unknown;
  /** Fields beside the text that decide whether messages are found in the cache; absent where the API does not look at them. */
  toolChoice?: unknown;
  thinking?: unknown;
  /** In the smallest pieces that the API may add to: blocks where neighbouring messages of one role are joined. */
  messages: readonly unknown[];
}

export type RequestObserver = (prefix: RequestPrefix) => void;

/** For a request that others write. */
export function contextPrefix({ tools = [], systemPrompt, messages }: ModelContext): RequestPrefix {
  return { tools, system: systemPrompt, messages };
}
