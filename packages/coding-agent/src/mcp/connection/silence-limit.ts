import { systemTimers, type Timers } from "@pintle/foundation";

export interface SilenceLimitParts {
  ms: number;
  /** Pauses the limit while a user is asked, and restarts it afterwards. */
  question?: { readonly isOpen: boolean; readonly endedAt: number } | undefined;
  /** Called once. */
  onSilence(): void;
  timers?: Timers;
}

/** Enforces a limit on silence, excluding the time in which the other side waits for a user. */
export class SilenceLimit {
  readonly #parts: SilenceLimitParts;
  readonly #timers: Timers;
  #lastSign: number;
  #cancel: () => void;

  constructor(parts: SilenceLimitParts) {
    this.#parts = parts;
    this.#timers = parts.timers ?? systemTimers;
    this.#lastSign = this.#timers.now();
    this.#cancel = this.#timers.start(() => this.#look(), parts.ms);
  }

  sign(): void {
    this.#lastSign = this.#timers.now();
  }

  end(): void {
    this.#cancel();
  }

  #look(): void {
    const { ms, question, onSilence } = this.#parts;
    const since = Math.max(this.#lastSign, question?.endedAt ?? 0);
    const leftMs = question?.isOpen ? ms : ms - (this.#timers.now() - since);
    // Timers may fire slightly early.
    if (leftMs > 0.5) this.#cancel = this.#timers.start(() => this.#look(), leftMs);
    else onSilence();
  }
}
