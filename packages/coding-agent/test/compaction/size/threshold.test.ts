import { expect, test } from "bun:test";
import { compactionThreshold } from "../../../src/compaction/size/threshold.ts";

type Wanted = { tokens?: number; percent?: number; reserve?: number; overhead?: number };

test.each<[string, number, Wanted, number | undefined]>([
  ["a small window keeps 15 % free", 100_000, {}, 100_000 - 16_384],
  ["a large window too", 1_000_000, {}, 850_000],
  ["a reserve made for large windows takes a third of a small one", 16_384, {}, 16_384 - 5_461],
  ["a third of what system prompt and tools leave", 16_384, { overhead: 4_000 }, 16_384 - 4_128],
  ["15 % are free in any case", 4_096, { overhead: 3_500 }, 4_096 - Math.floor(0.15 * 4_096)],
  ["a number of tokens", 100_000, { tokens: 40_000 }, 40_000],
  ["a number of tokens stays below the window", 100_000, { tokens: 500_000 }, 99_999],
  ["a number of tokens goes before a percentage", 100_000, { tokens: 5, percent: 50 }, 5],
  ["a percentage", 100_001, { percent: 50 }, 50_000],
  ["a percentage is at least 1", 100_000, { percent: 0.5 }, 1_000],
  ["a percentage is at most 99", 100_000, { percent: 100 }, 99_000],
  ["0 is not set", 100_000, { tokens: 0, percent: 0 }, 83_616],
  ["an unknown window is never full", 0, { tokens: 5 }, undefined],
])("%s", (_name, window, { tokens = -1, percent = -1, reserve = 16_384, overhead }, expected) => {
  const settings = { reserveTokens: reserve, thresholdTokens: tokens, thresholdPercent: percent };
  expect(compactionThreshold(window, settings, overhead)).toBe(expected);
});
