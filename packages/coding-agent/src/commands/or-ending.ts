/** A signal asked the process to end. */
export class EndedError extends Error {}

/** One signal is enough: whatever is waited for, it ends the wait. */
export function orEnding<T>(work: Promise<T>, ending: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onEnding = () => reject(new EndedError(`ended by ${ending.reason}`));
  if (ending.aborted) onEnding();
  ending.addEventListener("abort", onEnding, { once: true });
  work.then(resolve, reject).finally(() => ending.removeEventListener("abort", onEnding));
  return promise;
}
