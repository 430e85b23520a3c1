import { ANSWERS, CELLS, LAST_BEGUN, RUNNING, WATCH_THREAD } from "./watch-thread.ts";

let watchdog: Watchdog | undefined;

/** Once per process, before code of users is loaded into it. For programs that own their process. 0: not at all. */
export function startWatchdog(limitMs: number): void {
  if (limitMs > 0) watchdog ??= new Watchdog(limitMs);
}

/** Runs code of a user under a name for the last words, should it never return. */
export function asUsersCode<T>(what: string, run: () => T): T {
  return watchdog ? watchdog.during(what, run) : run();
}

/** The main thread's side: it gives signs of life and notes what it runs. */
class Watchdog {
  readonly #thread: Worker;
  readonly #cells = new Int32Array(new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT));
  /** 0 is nothing. */
  readonly #ids = new Map<string, number>();

  constructor(limitMs: number) {
    const source = URL.createObjectURL(new Blob([WATCH_THREAD], { type: "application/javascript" }));
    this.#thread = new Worker(source, { ref: false } as WorkerOptions); // it does not keep the process alive
    this.#thread.onmessage = () => Atomics.add(this.#cells, ANSWERS, 1);
    this.#thread.postMessage({ memory: this.#cells.buffer, limitMs });
  }

  /** Only the part until it returns: what it awaits is not known to be at work, so later it is merely the last that began. */
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
