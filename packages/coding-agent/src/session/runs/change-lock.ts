import { ABORTED_TEXT, SerialWork, untilAborted } from "@pintle/ai";
import { SessionError } from "@pintle/storage";

/** Serializes changes of the session. No run starts during one. */
export class ChangeLock {
  readonly #changes = new SerialWork();

  get isHeld(): boolean {
    return !this.#changes.isIdle;
  }

  /** Runs the job after all earlier ones. */
  run<T>(job: () => Promise<T>): Promise<T> {
    return this.#changes.run(job);
  }

  /**
   * Resolves when no change is in progress. Rejects if the signal fires first: the change itself may abort the waiting
   * run.
   */
  async pass(signal: AbortSignal): Promise<void> {
    const aborted = () => new SessionError("cancelled", ABORTED_TEXT);
    while (this.isHeld) await untilAborted(this.#changes.settled(), signal, aborted);
  }
}
