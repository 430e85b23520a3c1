import type { AgentMessage } from "@pintle/agent";
import type { AgentSessionEvent } from "@pintle/wire";
import type { SessionManager } from "../../storage/session-manager.ts";

/**
 * Events → entries. It comes before all listeners, and an append is a synchronous write: when a host reads `message_end`,
 * the operating system has the entry.
 */
export class Recorder {
  readonly #manager: () => SessionManager;

  readonly #isDiscarded: (message: AgentMessage) => boolean;

  /** `isDiscarded`: the message belongs to the history, but not to the conversation. */
  constructor(manager: () => SessionManager, isDiscarded: (message: AgentMessage) => boolean) {
    this.#manager = manager;
    this.#isDiscarded = isDiscarded;
  }

  record(event: AgentSessionEvent): void {
    if (event.type === "message_end") {
      if (event.message.role === "custom") this.#manager().appendCustomMessage(event.message);
      else this.#manager().appendMessage(event.message, { excludeFromContext: this.#isDiscarded(event.message) });
    } else if (event.type === "turn_end") {
      this.#manager().syncSoon();
    }
  }
}
