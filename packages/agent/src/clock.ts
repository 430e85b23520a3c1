import { delay } from "@pintle/ai";
import type { Clock } from "./types.ts";

/** Real time. Timestamps strictly increase, so that no two messages of a process share one. */
export function createSystemClock(): Clock {
  let last = 0;
  return {
    now() {
      last = Math.max(Date.now(), last + 1);
      return last;
    },
    delay,
  };
}
