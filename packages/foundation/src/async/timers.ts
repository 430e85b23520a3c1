export interface Timers {
  /** Returns the milliseconds of a clock that never goes backwards. */
  now(): number;
  /** Runs once after the time. Returns a function that cancels it. */
  start(run: () => void, ms: number): () => void;
  /** Runs once after the current turn of the event loop. */
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

/** The same clock, with timers that do not keep the process alive. */
export const backgroundTimers: Timers = {
  ...systemTimers,
  start(run, ms) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
