/** Measures how long users took to answer questions about calls, to subtract it from the calls' durations. */
export class AnswerTimes {
  readonly #ended = new Map<string, number>();
  readonly #open = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns a function to call when the question is answered or withdrawn. */
  begin(callId: string): () => void {
    this.#open.set(callId, this.#now());
    return () => {
      this.#ended.set(callId, this.of(callId));
      this.#open.delete(callId);
    };
  }

  /** Returns the time in milliseconds, up to now if the question is open. */
  of(callId: string): number {
    const since = this.#open.get(callId);
    return (this.#ended.get(callId) ?? 0) + (since === undefined ? 0 : this.#now() - since);
  }

  forget(callId: string): void {
    this.#ended.delete(callId);
  }
}
