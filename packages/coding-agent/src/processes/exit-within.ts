import { LONGEST_TIMER_MS, onAbort } from "@pintle/ai";
import type { Child, ChildExit } from "./process-gateway.ts";

export interface ExitLimits {
  /** Without it, or with none above 0, the child has all the time it wants. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The child's exit. It is stopped when its time is over or the signal fires. */
export async function exitWithin(child: Child, { timeoutMs = 0, signal }: ExitLimits): Promise<ChildExit> {
  const timer =
    timeoutMs > 0 ? setTimeout(() => child.stop("timed_out"), Math.min(timeoutMs, LONGEST_TIMER_MS)) : undefined;
  const forget = onAbort(signal, () => child.stop("aborted"));
  try {
    return await child.exited;
  } finally {
    clearTimeout(timer);
    forget();
  }
}
