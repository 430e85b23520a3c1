import { delay } from "@pintle/ai";
import { StoreError } from "./database.ts";

export interface Patience {
  /** How long to retry a database that does not answer. */
  timeoutMs: number;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  /** Called once, with the reason. */
  waiting(reason: string): void;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Waits for a database that is not running yet, because services start in any order. Does not wait for one that refuses.
 * Rejects with the error of the last attempt.
 */
export async function untilItAnswers<T>(work: () => Promise<T>, { timeoutMs, signal, waiting }: Patience): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const left = giveUpAt - performance.now();
      if (!(error instanceof StoreError) || !error.isPassing || left <= 0 || signal?.aborted) throw error;
      if (pause === FIRST_PAUSE_MS) waiting(error.message);
      await delay(Math.min(pause, left), signal);
    }
  }
}
