import type { AgentMessage } from "@pintle/agent";
import type { SessionManager } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";

/**
 * Converts events into entries. It runs before all listeners, and an append is a synchronous write: when a host reads
 * `message_end`, the operating system has the entry.
 */
export class Recorder {
  readonly #manager: () => SessionManager;

  readonly #isDiscarded: (message: AgentMessage) => boolean;

  readonly #schemaOf: (message: AgentMessage) => object | undefined;

  /**
   * `isDiscarded` returns whether a message belongs to the history but not to the conversation. `schemaOf` returns the output
   * schema of a user message.
   */
  constructor(
    manager: () => SessionManager,
    isDiscarded: (message: AgentMessage) => boolean,
    schemaOf: (message: AgentMessage) => object | undefined,
  ) {
    this.#manager = manager;
    this.#isDiscarded = isDiscarded;
    this.#schemaOf = schemaOf;
  }

  record(event: AgentSessionEvent): void {
    if (event.type === "message_end") {
      if (event.message.role === "custom") this.#manager().appendCustomMessage(event.message);
      else {
        const outputSchema = this.#schemaOf(event.message);
        const excludeFromContext = this.#isDiscarded(event.message);
        this.#manager().appendMessage(event.message, { excludeFromContext, ...(outputSchema && { outputSchema }) });
      }
    } else if (event.type === "turn_end") {
      this.#manager().syncSoon();
    }
  }
}
