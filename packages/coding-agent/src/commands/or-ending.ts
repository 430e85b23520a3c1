import { untilAborted } from "@pintle/ai";

/** Thrown if a signal asks the process to end. */
export class EndedError extends Error {}

/** Awaits the promise, unless a signal asks the process to end first. */
export function orEnding<T>(work: Promise<T>, ending: AbortSignal): Promise<T> {
  return untilAborted(work, ending, () => new EndedError(`ended by ${ending.reason}`));
}
