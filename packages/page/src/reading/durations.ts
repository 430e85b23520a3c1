import { amountOf, type Fields, fieldsOf, textOf } from "./plain-value.ts";

/** Longer than any call. A larger difference comes from a changed clock. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/** Determines how long calls took: from the entry where it is recorded, otherwise from the timestamps. */
export class Durations {
  readonly #callsMadeAt = new Map<string, number>();

  /** `storedAt` is when the answer was complete, which is when its calls began. */
  answer(message: Fields, storedAt: number): number | undefined {
    const stated = amountOf(message.duration) ?? amountOf(message.durationMs);
    return stated ?? between(amountOf(message.timestamp), storedAt);
  }

  callsBegan(callIds: readonly string[], at: number): void {
    for (const id of callIds) this.#callsMadeAt.set(id, at);
  }

  result(message: Fields, storedAt: number): number | undefined {
    const { durationMs, wallTimeMs } = fieldsOf(message.details);
    const stated = amountOf(message.durationMs) ?? amountOf(durationMs) ?? amountOf(wallTimeMs);
    if (stated !== undefined) return stated;
    return between(this.#callsMadeAt.get(textOf(message.toolCallId)), amountOf(message.timestamp) ?? storedAt);
  }
}

function between(start: number | undefined, end: number): number | undefined {
  if (!start || end < start || end - start > LONGEST_MS) return undefined;
  return end - start;
}
