import type { AgentSessionEvent } from "./session-events.ts";

export type SessionListener = (event: AgentSessionEvent) => void;

/** The one way out for events: every listener gets the same object in the same order. */
export class SessionEmitter {
  readonly #listeners = new Set<SessionListener>();

  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: AgentSessionEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        // A listener's fault must stop neither the others nor the run.
        console.error(`pintle: a listener failed on ${event.type}:`, error);
      }
    }
  }
}
