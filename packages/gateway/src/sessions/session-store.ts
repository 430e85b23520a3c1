/**
 * Where a log beside the session file would be written. Every line of a worker passes it in order, before any host hears of it:
 * what comes behind a line that waits, waits too.
 */
export interface SessionStore {
  /** Undefined: the line may go on at once. Never rejects: what cannot be written waits until it can, or the session is closed. */
  admit(sessionId: string, line: string): Promise<void> | undefined;
}

/** Holds lines back by their order, while the store writes. */
export class StoreGate {
  readonly #sessionId: string;
  readonly #store: SessionStore | undefined;
  readonly #pass: (line: string) => void;
  /** Lines, and what happens behind them. */
  readonly #held: (string | (() => void))[] = [];
  #isDraining = false;

  constructor(sessionId: string, store: SessionStore | undefined, pass: (line: string) => void) {
    this.#sessionId = sessionId;
    this.#store = store;
    this.#pass = pass;
  }

  push(line: string): void {
    if (!this.#store) {
      this.#pass(line); // session files: the engine has written it
      return;
    }
    this.#held.push(line);
    if (!this.#isDraining) void this.#drain(this.#store); // the store does not reject
  }

  /** Behind all lines so far. */
  behind(action: () => void): void {
    if (this.#isDraining) this.#held.push(action);
    else action();
  }

  async #drain(store: SessionStore): Promise<void> {
    this.#isDraining = true;
    for (let item = this.#held.shift(); item !== undefined; item = this.#held.shift()) {
      if (typeof item === "function") {
        item();
        continue;
      }
      const written = store.admit(this.#sessionId, item);
      if (written) await written;
      this.#pass(item);
    }
    this.#isDraining = false;
  }
}
