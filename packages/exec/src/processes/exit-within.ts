import { LONGEST_TIMER_MS, onAbort } from "@pintle/ai";
import type { Child, ChildExit } from "./process-runner.ts";

export interface ExitLimits {
  /** Without a positive value, the child has unlimited time. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Asked when the time is up: false lets the child continue. */
  isLimited?: (() => boolean) | undefined;
}

/** Waits for the child to exit. Stops it when its time is up or the signal is aborted. */
export async function exitWithin(
  child: Child,
  { timeoutMs = 0, signal, isLimited = () => true }: ExitLimits,
): Promise<ChildExit> {
  const stop = () => {
    if (isLimited()) child.stop("timed_out");
  };
  const timer = timeoutMs > 0 ? setTimeout(stop, Math.min(timeoutMs, LONGEST_TIMER_MS)) : undefined;
  const forget = onAbort(signal, () => child.stop("aborted"));
  try {
    return await child.exited;
  } finally {
    clearTimeout(timer);
    forget();
  }
}
