import type { Clock } from "./types.ts";

/** A timer set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Time as it passes. Timestamps strictly increase, so that no two messages of a process share one. */
export function createSystemClock(): Clock {
  let last = 0;
  return {
    now() {
      last = Math.max(Date.now(), last + 1);
      return last;
    },
    delay(ms, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        let timer: ReturnType<typeof setTimeout> | undefined;
        const finish = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", finish);
          resolve();
        };
        const wait = (left: number) => {
          const rest = left - LONGEST_TIMER_MS;
          timer = rest > 0 ? setTimeout(() => wait(rest), LONGEST_TIMER_MS) : setTimeout(finish, left);
        };
        wait(ms);
        signal?.addEventListener("abort", finish, { once: true });
      });
    },
  };
}
