import { systemTimers, type Timers } from "../../async/timers.ts";

export interface SilenceLimitParts {
  ms: number;
  /** While a person is asked the other side has reason to be silent; when that ends it has its whole time again. */
  question?: { readonly isOpen: boolean; readonly endedAt: number } | undefined;
  /** Called once. */
  onSilence(): void;
  timers?: Timers;
}

/** Watches for a sign of life, without counting the time in which the other side waits for a person. */
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
    // Timers are a little early at times.
    if (leftMs > 0.5) this.#cancel = this.#timers.start(() => this.#look(), leftMs);
    else onSilence();
  }
}
