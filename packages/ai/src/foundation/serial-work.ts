/** Runs jobs one after the other. The caller of a job handles its failure; the next job runs either way. */
export class SerialWork {
  #last: Promise<unknown> = Promise.resolve();
  #unfinished = 0;

  get isIdle(): boolean {
    return this.#unfinished === 0;
  }

  /** Runs the job when all earlier ones have finished. */
  run<T>(job: () => T | PromiseLike<T>): Promise<T> {
    this.#unfinished += 1;
    const result = this.#last.then(job).finally(() => {
      this.#unfinished -= 1;
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when all jobs queued so far have finished. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
