/** How long users took to answer the questions about calls, which is no part of how long the calls took. */
export class AnswerTimes {
  readonly #ended = new Map<string, number>();
  readonly #open = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns what is to be called when the question is answered or withdrawn. */
  begin(callId: string): () => void {
    this.#open.set(callId, this.#now());
    return () => {
      this.#ended.set(callId, this.of(callId));
      this.#open.delete(callId);
    };
  }

  /** In milliseconds, until now if the question is open. */
  of(callId: string): number {
    const since = this.#open.get(callId);
    return (this.#ended.get(callId) ?? 0) + (since === undefined ? 0 : this.#now() - since);
  }

  forget(callId: string): void {
    this.#ended.delete(callId);
  }
}
