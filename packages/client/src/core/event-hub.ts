import type { RpcEvent, RpcEventMap } from "../protocol.ts";

type Listener = (event: RpcEvent) => void;

/** Dispatches events to listeners. A listener that throws does not affect the others. */
export class EventHub {
  readonly #onThrow: (type: string, error: unknown) => void;
  // Replaced, never mutated: a listener added or removed during delivery takes effect with the next event.
  #all: readonly Listener[] = [];
  readonly #byType = new Map<string, readonly Listener[]>();

  constructor(onThrow: (type: string, error: unknown) => void) {
    this.#onThrow = onThrow;
  }

  onEvent(listener: Listener): () => void {
    const own: Listener = (event) => listener(event); // the same function may be added twice
    this.#all = [...this.#all, own];
    return () => {
      this.#all = this.#all.filter((other) => other !== own);
    };
  }

  on<T extends keyof RpcEventMap>(type: T, listener: (event: RpcEventMap[T]) => void): () => void {
    const own: Listener = (event) => listener(event as RpcEventMap[T]);
    this.#byType.set(type, [...(this.#byType.get(type) ?? []), own]);
    return () => {
      const rest = (this.#byType.get(type) ?? []).filter((other) => other !== own);
      if (rest.length > 0) this.#byType.set(type, rest);
      else this.#byType.delete(type);
    };
  }

  emit(event: RpcEvent): void {
    this.#deliver(this.#all, event);
    const listeners = this.#byType.get(event.type);
    if (listeners) this.#deliver(listeners, event);
  }

  #deliver(listeners: readonly Listener[], event: RpcEvent): void {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onThrow(event.type, error);
      }
    }
  }
}
