export interface ReconnectOptions {
  /** The pause before the first attempt, doubled after each; default 100. */
  minMs?: number;
  /** The longest pause; default 10000. */
  maxMs?: number;
  /** Ends all sessions after this time without a connection; default: never. */
  giveUpAfterMs?: number;
}

/**
 * Returns how long to wait before an attempt, counted from 0. Half of it is random, so that hosts that lost the same server do
 * not all reconnect at once.
 */
export function pauseBefore(attempt: number, { minMs = 100, maxMs = 10_000 }: ReconnectOptions): number {
  const longest = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 30));
  return longest / 2 + (Math.random() * longest) / 2;
}

/** Resolves early when the signal fires. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
