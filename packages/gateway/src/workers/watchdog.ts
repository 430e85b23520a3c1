import type { WorkerProcess } from "./worker-process.ts";

const PING = JSON.stringify({ type: "ping", id: "alive" });

/**
 * Kills workers that do not respond, so that an endless loop in an extension affects only its own session. A worker that writes is
 * alive; a silent one is asked.
 */
export class Watchdog {
  readonly #processes: () => Iterable<WorkerProcess>;
  readonly #unresponsiveMs: number;
  readonly #kill: (process: WorkerProcess) => void;
  readonly #intervalMs: number;
  readonly #timer: ReturnType<typeof setInterval>;
  /** When each silent worker was asked. */
  #asked = new Map<WorkerProcess, number>();
  #lastLook = performance.now();

  constructor(options: {
    processes: () => Iterable<WorkerProcess>;
    unresponsiveMs: number;
    kill(process: WorkerProcess): void;
  }) {
    this.#processes = options.processes;
    this.#unresponsiveMs = options.unresponsiveMs;
    this.#kill = options.kill;
    this.#intervalMs = Math.max(options.unresponsiveMs / 4, 10);
    this.#timer = setInterval(() => this.#look(performance.now()), this.#intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(now: number): void {
    // If the gateway itself was stopped, for example while the machine slept, workers had no time to answer.
    if (now - this.#lastLook > 2 * this.#intervalMs) this.#asked.clear();
    this.#lastLook = now;
    const asked = new Map<WorkerProcess, number>();
    for (const process of this.#processes()) {
      if (process.isInputClosed || process.isHeldBack) continue;
      const since = this.#asked.get(process);
      if (since === undefined || process.lastHeard > since) {
        if (now - process.lastHeard < this.#intervalMs) continue;
        process.send(PING);
        asked.set(process, now);
      } else if (now - since < this.#unresponsiveMs) asked.set(process, since);
      else this.#kill(process);
    }
    this.#asked = asked;
  }
}
