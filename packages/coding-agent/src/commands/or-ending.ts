import { untilAborted } from "@pintle/ai";

/** A signal asked the process to end. */
export class EndedError extends Error {}

/** One signal is enough: whatever is waited for, it ends the wait. */
export function orEnding<T>(work: Promise<T>, ending: AbortSignal): Promise<T> {
  return untilAborted(work, ending, () => new EndedError(`ended by ${ending.reason}`));
}
