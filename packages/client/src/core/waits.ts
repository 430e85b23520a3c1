import { RpcTimeoutError } from "./errors.ts";

/** A longer timer would fire at once; the difference to none is not noticed. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** None: no limit. */
  timeoutMs?: number | undefined;
}

export interface Settle<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

interface WaitJob<T> extends WaitOptions {
  /** For the message of a time-out: `<what> took longer than …`. */
  what: string;
  /** Asked when the time is over: true gives the same time once more. */
  isExtended?(): boolean;
  /** Gives what is to be done when the wait is over, however it ended. */
  start(settle: Settle<T>): () => void;
}

/** Everything that a call waits for. Each wait ends exactly once, and nothing of it is left: no timer, no listener. */
export class Waits {
  readonly #open = new Set<(error: unknown) => void>();

  wait<T>({ what, signal, timeoutMs, isExtended, start }: WaitJob<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      let timer: ReturnType<typeof setTimeout> | undefined;
      let cleanUp = () => {};
      let isOver = false;
      const end = (): boolean => {
        if (isOver) return false;
        isOver = true;
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#open.delete(fail);
        cleanUp();
        return true;
      };
      const fail = (error: unknown) => {
        if (end()) reject(error);
      };
      const onAbort = () => fail(signal?.reason);
      const startTimer = (ms: number) => {
        timer = setTimeout(() => {
          if (isExtended?.()) startTimer(ms);
          else fail(new RpcTimeoutError(`${what} took longer than ${ms} ms`));
        }, ms);
      };
      this.#open.add(fail);
      signal?.addEventListener("abort", onAbort);
      if (timeoutMs !== undefined && timeoutMs <= LONGEST_TIMER_MS) startTimer(timeoutMs);
      try {
        cleanUp = start({
          resolve: (value) => {
            if (end()) resolve(value);
          },
          reject: fail,
        });
        if (isOver) cleanUp();
      } catch (error) {
        fail(error);
      }
    });
  }

  rejectAll(error: unknown): void {
    for (const fail of [...this.#open]) fail(error);
  }
}
