import type { OutputViolation } from "./output-violation.ts";

export interface OutputRejection {
  /** Counted from 1. */
  attempt: number;
  attemptsLeft: number;
  errors: OutputViolation[];
}

/** How often a valid output may be set aside; after that, each time is a failed attempt, so that every run ends. */
export const MAX_SET_ASIDE = 20;

/**
 * The output state of a run with a schema: none yet, accepted, or out of attempts. A state machine that needs neither
 * model nor conversation.
 */
export class OutputAttempts {
  readonly #maxRepairs: number;
  #failed = 0;
  #setAside = 0;
  #accepted: { value: unknown } | undefined;
  #rejected: { value: unknown } | undefined;
  #firstError: OutputViolation | undefined;

  constructor(maxRepairs: number) {
    this.#maxRepairs = maxRepairs;
  }

  get accepted(): { value: unknown } | undefined {
    return this.#accepted;
  }

  /** The last value that was refused. */
  get rejected(): { value: unknown } | undefined {
    return this.#rejected;
  }

  /** The first violation of the last failed attempt. */
  get firstError(): OutputViolation | undefined {
    return this.#firstError;
  }

  /** Failed attempts plus the accepted one. */
  get count(): number {
    return this.#failed + (this.#accepted ? 1 : 0);
  }

  get isExhausted(): boolean {
    return this.#failed > this.#maxRepairs;
  }

  accept(value: unknown): void {
    if (this.isExhausted) return;
    this.#accepted = { value };
  }

  /** `value` is absent if the model gave none that could be parsed. */
  fail(errors: OutputViolation[], value?: { value: unknown }): OutputRejection {
    this.#failed += 1;
    this.#accepted = undefined;
    if (value) this.#rejected = value;
    this.#firstError = errors[0];
    return { attempt: this.#failed, attemptsLeft: Math.max(0, this.#maxRepairs + 1 - this.#failed), errors };
  }

  /**
   * Drops an accepted output, which is not a failed attempt. Returns false if this has happened too often in the run.
   */
  setAside(): boolean {
    this.#accepted = undefined;
    this.#setAside += 1;
    return this.#setAside <= MAX_SET_ASIDE;
  }
}
