import type { AgentMessage } from "@pintle/agent";
import type { AgentSessionEvent } from "./session-events.ts";

/**
 * Messages that come from outside a run. While a tool call is open they wait: nothing may stand between a call and its
 * result. They are handed on at the end of the turn, so they are never lost with the run.
 */
export class HeldMessages {
  readonly #append: (message: AgentMessage) => void;
  readonly #waiting: AgentMessage[] = [];
  #hasOpenCalls = false;

  constructor(append: (message: AgentMessage) => void) {
    this.#append = append;
  }

  add(message: AgentMessage): void {
    if (this.#hasOpenCalls) this.#waiting.push(message);
    else this.#append(message);
  }

  /** To be told every event, in order. */
  onEvent(event: AgentSessionEvent): void {
    if (event.type === "message_end" && event.message.role === "assistant") {
      this.#hasOpenCalls = event.message.content.some((block) => block.type === "toolCall");
    } else if (event.type === "turn_end") {
      this.#hasOpenCalls = false;
      for (const message of this.#waiting.splice(0)) this.#append(message);
    }
  }
}
