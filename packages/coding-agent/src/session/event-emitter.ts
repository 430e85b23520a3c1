import type { AgentSessionEvent } from "./session-events.ts";

export type SessionListener = (event: AgentSessionEvent) => void;

/** The one way out for events: stored first, then every listener gets the same object in the same order. */
export class SessionEmitter {
  readonly #store: SessionListener;
  readonly #listeners = new Set<SessionListener>();

  constructor(store: SessionListener) {
    this.#store = store;
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: AgentSessionEvent): void {
    this.#tell(this.#store, event);
    for (const listener of [...this.#listeners]) this.#tell(listener, event);
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
