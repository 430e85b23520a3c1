const MAX_DEATHS = 3;
const WITHIN_MS = 60_000;

/** Decides whether a worker has died too often to start another one. */
export class CrashCount {
  #deaths: number[] = [];

  /** Records a crash. Returns true if the limit is exceeded. */
  add(now = performance.now()): boolean {
    this.#deaths = [...this.#deaths.filter((at) => now - at < WITHIN_MS), now];
    return this.#deaths.length >= MAX_DEATHS;
  }

  clear(): void {
    this.#deaths = [];
  }
}
