import type { AgentMessage } from "@pintle/agent";
import type { AgentSessionEvent } from "@pintle/wire";

export interface HeldMessagesParts {
  /** Writes the message to the session file before it returns. */
  store(message: AgentMessage): void;
  /** Adds the message to the conversation. */
  join(message: AgentMessage): void;
}

/**
 * Messages from outside a run. They are stored immediately, before the call that adds them returns. While a tool call is open,
 * they stay out of the conversation, because nothing may come between a call and its result; they join at the end of the turn.
 */
export class HeldMessages {
  readonly #parts: HeldMessagesParts;
  readonly #waiting: AgentMessage[] = [];
  #hasOpenCalls = false;

  constructor(parts: HeldMessagesParts) {
    this.#parts = parts;
  }

  add(message: AgentMessage): void {
    this.#parts.store(message);
    if (this.#hasOpenCalls) this.#waiting.push(message);
    else this.#parts.join(message);
  }

  /** Receives every event, in order. */
  onEvent(event: AgentSessionEvent): void {
    if (event.type === "message_end" && event.message.role === "assistant") {
      this.#hasOpenCalls = event.message.content.some((block) => block.type === "toolCall");
    } else if (event.type === "turn_end") {
      this.#hasOpenCalls = false;
      for (const message of this.#waiting.splice(0)) this.#parts.join(message);
    }
  }
}
