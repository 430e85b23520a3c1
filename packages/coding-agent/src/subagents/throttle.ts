/** Limits how often a function is called; the last request is never lost. */
export class Throttle {
  readonly #run: () => void;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWaiting = false;

  constructor(run: () => void, everyMs: number) {
    this.#run = run;
    this.#everyMs = everyMs;
  }

  /** Calls the function now, or as soon as the interval since the last call is over. */
  request(): void {
    if (this.#timer !== undefined) {
      this.#isWaiting = true;
      return;
    }
    this.#call();
  }

  /** Runs a pending request, and stops. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWaiting) this.#run();
    this.#isWaiting = false;
  }

  #call(): void {
    this.#isWaiting = false;
    this.#run();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isWaiting) this.#call();
    }, this.#everyMs);
    this.#timer.unref?.();
  }
}
