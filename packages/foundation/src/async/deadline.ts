import { systemTimers, type Timers } from "./timers.ts";

/** Resolves with the result of the work, or with undefined after the time. The work then continues, and its failure is ignored. */
export async function within<T>(
  ms: number,
  work: Promise<T>,
  timers: Pick<Timers, "start"> = systemTimers,
): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const cancel = timers.start(() => timeout.resolve(undefined), ms);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    cancel();
  }
}

export interface TimeLimit {
  ms: number;
  /** The error message, without the duration. */
  text: string;
  /** Keeps the process alive until the time has passed. */
  keepsAlive: boolean;
}

/** Rejects when the work takes longer. The work itself cannot be stopped. */
export async function withinTime<T>(work: () => Promise<T>, { ms, text, keepsAlive }: TimeLimit): Promise<T> {
  const { promise: tooLong, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${text} ${ms / 1000} s`)), ms);
  if (!keepsAlive) timer.unref();
  try {
    return await Promise.race([work(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
