import { delay } from "@pintle/ai";
import { StoreError } from "./database.ts";

export interface Patience {
  /** How long a database that does not answer is asked again. */
  timeoutMs: number;
  /** The wait is given up. */
  signal?: AbortSignal | undefined;
  /** Told once, with the reason. */
  waiting(reason: string): void;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Services start in any order, so a database that is not there yet is waited for; one that refuses is not. Rejects with what the
 * last attempt said.
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
