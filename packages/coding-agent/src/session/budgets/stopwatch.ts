/** Adds up the time during which it runs. */
export class Stopwatch {
  readonly #now: () => number;
  #before = 0;
  #since: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isRunning(): boolean {
    return this.#since !== undefined;
  }

  get elapsedMs(): number {
    return this.#before + (this.#since === undefined ? 0 : this.#now() - this.#since);
  }

  start(): void {
    this.#since ??= this.#now();
  }

  stop(): void {
    this.#before = this.elapsedMs;
    this.#since = undefined;
  }

  reset(): void {
    this.#before = 0;
    if (this.isRunning) this.#since = this.#now();
  }
}
