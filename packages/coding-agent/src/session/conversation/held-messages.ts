import type { AgentMessage } from "@pintle/agent";
import type { AgentSessionEvent } from "@pintle/wire";

export interface HeldMessagesParts {
  /** Has reached the file when this returns. */
  store(message: AgentMessage): void;
  /** It takes part in the conversation from now on. */
  join(message: AgentMessage): void;
}

/**
 * Messages that come from outside a run. They are stored at once, before the call that brings them returns. While a tool call is
 * open they do not join the conversation: nothing may stand between a call and its result. They follow at the end of the turn.
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
