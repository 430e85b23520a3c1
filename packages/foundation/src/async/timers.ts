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

/** The same clock; a process that has nothing else to do ends without waiting for these. */
export const backgroundTimers: Timers = {
  ...systemTimers,
  start(run, ms) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
