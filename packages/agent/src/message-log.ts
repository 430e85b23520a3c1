import type { ToolResultMessage } from "@pintle/ai";
import type { AgentMessage } from "./messages.ts";

/** Messages in context order: results of parallel calls are in the order of the calls, whichever finished first. */
export class MessageLog {
  #messages: AgentMessage[];

  constructor(messages: readonly AgentMessage[] = []) {
    this.#messages = [...messages];
  }

  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  /** `order` assigns each call of the batch its position. */
  addResult(message: ToolResultMessage, order: ReadonlyMap<string, number>): void {
    const place = order.get(message.toolCallId) ?? order.size;
    let at = this.#messages.length;
    for (; at > 0; at -= 1) {
      const before = this.#messages[at - 1] as AgentMessage;
      if (before.role !== "toolResult" || (order.get(before.toolCallId) ?? -1) < place) break;
    }
    this.#messages.splice(at, 0, message);
  }

  /** Removes messages by identity, because equal messages may exist twice. */
  remove(withdrawn: ReadonlySet<AgentMessage>): void {
    this.#messages = this.#messages.filter((message) => !withdrawn.has(message));
  }

  replace(messages: readonly AgentMessage[]): void {
    this.#messages = [...messages];
  }
}
