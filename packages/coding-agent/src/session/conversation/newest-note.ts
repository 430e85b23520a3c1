import type { AgentMessage, CustomMessage } from "@pintle/agent";

interface Index {
  /** How many messages were searched, and the last of them. */
  length: number;
  last: AgentMessage | undefined;
  byType: Map<string, CustomMessage>;
}

const indexes = new WeakMap<readonly AgentMessage[], Index>();

/**
 * Returns the newest custom message of a type. Several policies ask before every turn, so each message is looked at once,
 * for all of them.
 */
export function newestNote(messages: readonly AgentMessage[], type: string): CustomMessage | undefined {
  let index = indexes.get(messages);
  if (!index || messages[index.length - 1] !== index.last) {
    index = { length: 0, last: undefined, byType: new Map() };
    indexes.set(messages, index);
  }
  for (; index.length < messages.length; index.length += 1) {
    const message = messages[index.length]!;
    if (message.role === "custom") index.byType.set(message.customType, message);
  }
  index.last = messages[index.length - 1];
  return index.byType.get(type);
}
