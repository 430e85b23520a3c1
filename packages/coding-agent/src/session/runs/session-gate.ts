import { ABORTED_TEXT, SerialWork, untilAborted } from "@pintle/ai";
import { SessionError } from "@pintle/storage";

/** Changes of the session happen one at a time, and no run starts in the middle of one. */
export class SessionGate {
  readonly #changes = new SerialWork();

  get isClosed(): boolean {
    return !this.#changes.isIdle;
  }

  /** Runs the job when all earlier ones are over. */
  run<T>(job: () => Promise<T>): Promise<T> {
    return this.#changes.run(job);
  }

  /** Resolves when no change is under way. Fails when the signal fires first: a change may be what aborts the waiting run. */
  async pass(signal: AbortSignal): Promise<void> {
    const aborted = () => new SessionError("cancelled", ABORTED_TEXT);
    while (this.isClosed) await untilAborted(this.#changes.settled(), signal, aborted);
  }
}
