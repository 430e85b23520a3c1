import { onAbort } from "./abort.ts";

/** Longer timers fire immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves after any duration, or as soon as the signal fires. Never rejects. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = () => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const wait = (left: number) => {
      const rest = left - LONGEST_TIMER_MS;
      timer = rest > 0 ? setTimeout(() => wait(rest), LONGEST_TIMER_MS) : setTimeout(finish, left);
    };
    wait(ms);
    const forget = onAbort(signal, finish);
  });
}
