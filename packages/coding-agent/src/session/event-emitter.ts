import type { AgentSessionEvent } from "./session-events.ts";

export type SessionListener = (event: AgentSessionEvent) => void;

/** The one way out for events: stored first, then every listener gets the same object in the same order. */
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
    this.#tell(this.#store, event);
    this.#untold.push(event);
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#untold.shift(); next; next = this.#untold.shift()) {
      for (const listener of [...this.#listeners]) this.#tell(listener, next);
    }
    this.#isTelling = false;
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
