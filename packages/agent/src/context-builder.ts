import type { ProviderMessage } from "@pintle/ai";
import { convertContext } from "./context.ts";
import { isPlain } from "./context-plain.ts";
import type { AgentMessage } from "./messages.ts";

/** Messages are converted in batches of this size, so that an unusual message slows down only its own batch. */
const PIECE_MESSAGES = 64;

/**
 * Converts one conversation to what the model receives, for each of its requests. Keeps what later messages cannot change,
 * so a request costs only what was added since the previous one. Messages never change, so they are compared by identity.
 */
export class ContextBuilder {
  /** The messages that are converted for good, and what they became. */
  #source: AgentMessage[] = [];
  #settled: ProviderMessage[] = [];

  build(messages: readonly AgentMessage[]): ProviderMessage[] {
    if (!this.#source.every((message, index) => message === messages[index])) {
      this.#source = [];
      this.#settled = [];
    }
    let from = this.#source.length;
    for (const cut of cutsOf(messages, from)) {
      const piece = messages.slice(from, cut);
      for (const message of piece) this.#source.push(message);
      for (const message of convert(piece)) this.#settled.push(message);
      from = cut;
    }
    return [...this.#settled, ...convert(messages.slice(from))];
  }
}

/**
 * Yields the places where the conversation can be split without effect on the result: before an answer that stays, once all
 * earlier calls have their results. The first message must follow such a place.
 */
function* cutsOf(messages: readonly AgentMessage[], from: number): Iterable<number> {
  /** By id, how many results are missing; an id that is used again belongs to the newer message. */
  const open = new Map<string, number>();
  let last = from;
  let newest = from;
  for (let index = from; index < messages.length; index += 1) {
    const message = messages[index]!;
    if (message.role === "toolResult") {
      const missing = open.get(message.toolCallId);
      if (missing === undefined) continue;
      if (missing > 1) open.set(message.toolCallId, missing - 1);
      else open.delete(message.toolCallId);
    } else if (message.role === "assistant") {
      if (open.size === 0 && message.stopReason !== "error" && message.stopReason !== "aborted") {
        newest = index;
        if (newest - last >= PIECE_MESSAGES) {
          yield newest;
          last = newest;
        }
      }
      for (const block of message.content) if (block.type === "toolCall") open.set(block.id, 0);
      for (const block of message.content) {
        if (block.type === "toolCall") open.set(block.id, (open.get(block.id) ?? 0) + 1);
      }
    }
  }
  if (newest > last) yield newest;
}

function convert(messages: readonly AgentMessage[]): readonly ProviderMessage[] {
  return isPlain(messages) ? messages : convertContext(messages);
}
