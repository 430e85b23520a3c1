/**
 * The questions that the engine waits for, by id. Withdraws the client's question when the engine no longer needs the answer.
 */
export class OpenQuestions {
  readonly #open = new Map<string, AbortController>();

  /** Asks the client, and passes the answer on unless the question was withdrawn meanwhile. A failure is also an answer. */
  put<A>(
    id: string,
    ask: (signal: AbortSignal) => Promise<A>,
    callbacks: { answer(answer: A): void; failed(error: unknown): void },
  ): void {
    const controller = new AbortController();
    this.#open.set(id, controller);
    const settle = (tell: () => void) => {
      if (this.#open.get(id) !== controller) return;
      this.#open.delete(id);
      tell();
    };
    ask(controller.signal).then(
      (answer) => settle(() => callbacks.answer(answer)),
      (error: unknown) => settle(() => callbacks.failed(error)),
    );
  }

  /** Withdraws a question that the engine no longer needs answered. */
  withdraw(id: unknown): void {
    const controller = this.#open.get(String(id));
    this.#open.delete(String(id));
    controller?.abort();
  }

  /** Called when the engine has ended. */
  withdrawAll(): void {
    for (const id of [...this.#open.keys()]) this.withdraw(id);
  }
}
