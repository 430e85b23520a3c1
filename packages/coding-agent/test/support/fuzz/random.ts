/** Generates numbers from a seed. */
export interface Random {
  /** 0 … limit - 1. */
  int(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Returns a separate sequence, so that numbers drawn at unpredictable times do not shift the others. */
  fork(index: number): Random;
}

export function randomOf(seed: number): Random {
  let state = seed | 0;
  /** mulberry32 */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (limit: number) => Math.floor(next() * limit);
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(items.length)]!,
    fork: (index) => randomOf(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)),
  };
}
