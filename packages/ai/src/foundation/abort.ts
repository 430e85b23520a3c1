/** Calls back when the signal fires, or immediately if it already has. Returns a function that removes the listener. */
export function onAbort(signal: AbortSignal | undefined, react: () => void): () => void {
  if (signal?.aborted) react();
  if (!signal || signal.aborted) return () => {};
  signal.addEventListener("abort", react, { once: true });
  return () => signal.removeEventListener("abort", react);
}

/**
 * Resolves or rejects with the work, or rejects as soon as the signal fires, whether or not the work reacts to it. A
 * later result or failure of the work is discarded.
 */
export function untilAborted<T>(
  work: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
  reason: () => unknown = () => signal?.reason,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = Promise.resolve(work);
    const forget = onAbort(signal, () => reject(reason()));
    void end.then(resolve, reject).finally(forget);
  });
}

/** Resolves with the work, or with undefined as soon as the signal fires. A later result of the work is discarded. */
export function unlessAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  return new Promise<T | undefined>((resolve, reject) => {
    const end = Promise.resolve(work);
    const forget = onAbort(signal, () => resolve(undefined));
    void end.then(resolve, reject).finally(forget);
  });
}
