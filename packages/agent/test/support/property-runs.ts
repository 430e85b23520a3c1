/**
 * How often a property is checked. The test command takes seconds with fixed seeds; for a long run set
 * PINTLE_PROPERTY_RUNS (how many) and, to explore instead of repeating, PINTLE_PROPERTY_SEED.
 */
export function propertyRuns(usual: { numRuns: number; seed: number }): { numRuns: number; seed: number } {
  const { PINTLE_PROPERTY_RUNS: runs, PINTLE_PROPERTY_SEED: seed } = process.env;
  return { numRuns: runs ? Number(runs) : usual.numRuns, seed: seed ? Number(seed) : usual.seed };
}

/** Long enough not to be mistaken for a hang, whatever the number of runs. */
export const PROPERTY_TIMEOUT_MS = process.env.PINTLE_PROPERTY_RUNS ? 24 * 3_600_000 : 120_000;
