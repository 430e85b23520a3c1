import type { AgentSessionEvent } from "./session-events.ts";
import type { SessionManager } from "./storage/session-manager.ts";

/**
 * Events → entries. It is told before anybody else, and an append is a synchronous write: when a host reads `message_end`,
 * the operating system has the entry.
 */
export class Recorder {
  readonly #manager: () => SessionManager;

  constructor(manager: () => SessionManager) {
    this.#manager = manager;
  }

  record(event: AgentSessionEvent): void {
    if (event.type === "message_end") {
      if (event.message.role === "custom") this.#manager().appendCustomMessage(event.message);
      else this.#manager().appendMessage(event.message);
    } else if (event.type === "turn_end") {
      this.#manager().sync();
    }
  }
}
