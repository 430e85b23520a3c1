import { RpcTimeoutError } from "./errors.ts";

/** setTimeout fires immediately above this; a limit of 25 days is as good as none. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** No limit if undefined. */
  timeoutMs?: number | undefined;
}

export interface Settle<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

interface WaitJob<T> extends WaitOptions {
  /** Names the wait in the timeout message: `<what> took longer than …`. */
  what: string;
  /** Called when the time is up; returning true extends it by the same time. */
  isExtended?(): boolean;
  /** Returns a clean-up function, which is called however the wait ends. */
  start(settle: Settle<T>): () => void;
}

/** Tracks everything that calls wait for. Each wait settles exactly once and leaves no timer or listener behind. */
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
