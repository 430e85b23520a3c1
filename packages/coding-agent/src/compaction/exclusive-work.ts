import type { Clock } from "@pintle/agent";
import { onAbort } from "@pintle/ai";
import { CompactionError } from "./compaction-error.ts";

interface Running {
  kind: "automatic" | "asked for";
  controller: AbortController;
  over: Promise<void>;
}

/** Runs at most one task on the history at a time, each with its own abort signal. */
export class ExclusiveWork {
  readonly #clock: Clock;
  #running: Running | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when nothing is running. Never rejects. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running.over;
  }

  /** Stops the running task and resolves when it has ended. */
  async abort(): Promise<void> {
    this.#running?.controller.abort();
    await this.#running?.over;
  }

  /**
   * For user requests: stops automatic work and waits for other work. Throws if the automatic work does not end in
   * the given time.
   */
  async runAsked<T>(graceMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // No await between this check and the start, because another caller may be waiting for the same moment.
    while (this.#running) await this.#makeWay(this.#running, graceMs);
    return this.#start("asked for", undefined, work);
  }

  /** Call it only when nothing is running. The work's signal aborts with the caller's signal or `abort`. */
  runAutomatic<T>(outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#start("automatic", outer, work);
  }

  async #makeWay({ kind, over, controller }: Running, graceMs: number): Promise<void> {
    if (kind === "asked for") return over;
    controller.abort();
    const waiting = new AbortController();
    await Promise.race([over, this.#clock.delay(graceMs, waiting.signal)]);
    waiting.abort();
    if (this.#running?.controller === controller) {
      throw new CompactionError("in_progress", "Compaction already in progress");
    }
  }

  async #start<T>(
    kind: Running["kind"],
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#running) throw new Error("Another operation on the history is running");
    const controller = new AbortController();
    const forget = onAbort(outer, () => controller.abort());
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    this.#running = { kind, controller, over };
    try {
      return await work(controller.signal);
    } finally {
      forget();
      this.#running = undefined;
      end();
    }
  }
}
