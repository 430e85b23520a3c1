import { ABORTED_TEXT, untilAborted } from "@pintle/ai";
import { SessionError } from "../../storage/session-error.ts";

/** Changes of the session happen one at a time, and no run starts in the middle of one. */
export class SessionGate {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get isClosed(): boolean {
    return this.#waiting > 0;
  }

  /** Runs the job when all earlier ones are over. */
  run<T>(job: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const result = this.#last.then(job).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = result.catch(() => {}); // who asked for the job is told; the next one does not care
    return result;
  }

  /** Resolves when no change is under way. Fails when the signal fires first: a change may be what aborts the waiting run. */
  async pass(signal: AbortSignal): Promise<void> {
    const aborted = () => new SessionError("cancelled", ABORTED_TEXT);
    while (this.isClosed) await untilAborted(this.#last, signal, aborted);
  }
}
