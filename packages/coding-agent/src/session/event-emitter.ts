import type { AgentSessionEvent } from "./session-events.ts";

export type SessionListener = (event: AgentSessionEvent) => void;

/**
 * The one way out for events: stored first, then every listener gets the same object in the same order. Throws when the end
 * of a message cannot be stored, and then nobody hears of it.
 */
export class SessionEmitter {
  readonly #store: SessionListener;
  readonly #listeners = new Set<SessionListener>();
  /** Stored, and on their way to the listeners. */
  readonly #untold: AgentSessionEvent[] = [];
  #isTelling = false;

  constructor(store: SessionListener) {
    this.#store = store;
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called by a listener, it returns before anybody is told: all of them hear the event that is being told first. */
  emit(event: AgentSessionEvent): void {
    if (event.type === "message_end") this.#storeMessage(event);
    else this.#tell(this.#store, event);
    this.#untold.push(event);
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#untold.shift(); next; next = this.#untold.shift()) {
      for (const listener of [...this.#listeners]) this.#tell(listener, next);
    }
    this.#isTelling = false;
  }

  /** What a host hears has been stored. That it was not, it hears instead; who emitted it decides what follows. */
  #storeMessage(event: Extract<AgentSessionEvent, { type: "message_end" }>): void {
    try {
      this.#store(event);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `A message of the role ${event.message.role} could not be stored: ${reason}`;
      this.emit({ type: "notice", level: "error", message, source: "session" });
      throw error;
    }
  }

  /** A listener's fault must stop neither the others nor the run. */
  #tell(listener: SessionListener, event: AgentSessionEvent): void {
    try {
      listener(event);
    } catch (error) {
      console.error(`pintle: a listener failed on ${event.type}:`, error);
    }
  }
}
