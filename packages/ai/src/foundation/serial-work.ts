/** Jobs one after the other. A failure is the matter of the job's caller: the next job runs all the same. */
export class SerialWork {
  #last: Promise<unknown> = Promise.resolve();
  #unfinished = 0;

  get isIdle(): boolean {
    return this.#unfinished === 0;
  }

  /** Runs the job when all earlier ones are over. */
  run<T>(job: () => T | PromiseLike<T>): Promise<T> {
    this.#unfinished += 1;
    const result = this.#last.then(job).finally(() => {
      this.#unfinished -= 1;
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when all jobs that were given so far are over. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
