export interface Timers {
  /** Milliseconds, never going back. */
  now(): number;
  /** Runs once after the time; returns how to cancel it. */
  start(run: () => void, ms: number): () => void;
  /** Runs once when everything that is under way in this turn of the event loop has been done. */
  soon(run: () => void): void;
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  start(run, ms) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
};

/** The value of the promise, or nothing when the time is over first. */
export async function within<T>(timers: Timers, ms: number, work: Promise<T>): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const cancel = timers.start(() => timeout.resolve(undefined), ms);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    cancel();
  }
}
