/** Calls `emit` soon after `notify`, but never twice within the interval. */
export class UpdateThrottle {
  readonly #emit: () => void;
  readonly #intervalMs: number;
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(emit: () => void, intervalMs: number) {
    this.#emit = emit;
    this.#intervalMs = intervalMs;
  }

  notify(): void {
    if (this.#timer !== undefined) return;
    const wait = this.#lastAt + this.#intervalMs - performance.now();
    if (wait <= 0) this.#run();
    else this.#timer = setTimeout(() => this.#run(), wait);
  }

  /** Emits nothing afterwards, unless notified again. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #run(): void {
    this.#timer = undefined;
    this.#emit();
    this.#lastAt = performance.now(); // a slow listener also gets its pause
  }
}
