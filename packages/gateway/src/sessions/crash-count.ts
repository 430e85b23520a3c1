const MAX_DEATHS = 3;
const WITHIN_MS = 60_000;

/** Whether a worker dies so often that another one would not help. */
export class CrashCount {
  #deaths: number[] = [];

  /** True: it was one too many. */
  add(now = performance.now()): boolean {
    this.#deaths = [...this.#deaths.filter((at) => now - at < WITHIN_MS), now];
    return this.#deaths.length >= MAX_DEATHS;
  }

  clear(): void {
    this.#deaths = [];
  }
}
