export interface ReconnectOptions {
  /** The pause before the first attempt, doubled with each; 100. */
  minMs?: number;
  /** The longest pause; 10000. */
  maxMs?: number;
  /** After this time without a connection all sessions end; no limit. */
  giveUpAfterMs?: number;
}

/** How long to wait before an attempt, counted from 0. Half of it by chance: hosts that lost the same server come back one by one. */
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
