import { ANSWERS, CELLS, LAST_BEGUN, RUNNING, WATCH_THREAD } from "./watch-thread.ts";

let watchdog: Watchdog | undefined;

/**
 * Starts the watchdog once per process, before user code is loaded into it. For programs that own their process. A limit of 0
 * disables it.
 */
export function startWatchdog(limitMs: number): void {
  if (limitMs > 0) watchdog ??= new Watchdog(limitMs);
}

/** Runs user code under a name that the final message shows if it never returns. */
export function asUsersCode<T>(what: string, run: () => T): T {
  return watchdog ? watchdog.during(what, run) : run();
}

/** The main thread's side: sends signs of life and records what it runs. */
class Watchdog {
  readonly #thread: Worker;
  readonly #cells = new Int32Array(new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT));
  /** Ids by name; 0 means none. */
  readonly #ids = new Map<string, number>();

  constructor(limitMs: number) {
    const source = URL.createObjectURL(new Blob([WATCH_THREAD], { type: "application/javascript" }));
    this.#thread = new Worker(source, { ref: false } as WorkerOptions); // the worker does not keep the process alive
    this.#thread.onmessage = () => Atomics.add(this.#cells, ANSWERS, 1);
    this.#thread.postMessage({ memory: this.#cells.buffer, limitMs });
  }

  /**
   * Records the synchronous part as running. Whether awaited work runs later is unknown, so from then on it is recorded only
   * as the last to start.
   */
  during<T>(what: string, run: () => T): T {
    const outer = Atomics.load(this.#cells, RUNNING);
    const id = this.#idOf(what);
    this.#cells[RUNNING] = id;
    this.#cells[LAST_BEGUN] = id;
    try {
      return run();
    } finally {
      this.#cells[RUNNING] = outer;
    }
  }

  #idOf(what: string): number {
    let id = this.#ids.get(what);
    if (id === undefined) {
      id = this.#ids.size + 1;
      this.#ids.set(what, id);
      this.#thread.postMessage({ id, text: what });
    }
    return id;
  }
}
