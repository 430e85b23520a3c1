/** Calls back when the signal fires, at once if it has fired. The answer takes the listener away again. */
export function onAbort(signal: AbortSignal | undefined, react: () => void): () => void {
  if (signal?.aborted) react();
  if (!signal || signal.aborted) return () => {};
  signal.addEventListener("abort", react, { once: true });
  return () => signal.removeEventListener("abort", react);
}

/**
 * The work's end, or a rejection as soon as the signal fires, whether or not the work reacts to it. What the work brings
 * afterwards is dropped, a failure included.
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

/** The work's end, or undefined as soon as the signal fires. What the work brings afterwards is dropped. */
export function unlessAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  return new Promise<T | undefined>((resolve, reject) => {
    const end = Promise.resolve(work);
    const forget = onAbort(signal, () => resolve(undefined));
    void end.then(resolve, reject).finally(forget);
  });
}
