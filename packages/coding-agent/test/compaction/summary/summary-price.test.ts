import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isCheaperInPlace, type SummaryWays } from "../../../src/compaction/summary/summary-price.ts";

const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const ways = (fields: Partial<SummaryWays> = {}): SummaryWays => ({
  conversation: 100_000,
  usage: { cacheRead: 90_000, cacheWrite: 8_000 },
  text: 60_000,
  thinks: false,
  ...fields,
});

describe("continuing the conversation is cheaper", () => {
  const cases: [string, Partial<SummaryWays>, boolean][] = [
    ["when nearly all of it is cached", {}, true],
    ["also for a model that thinks about it", { thinks: true }, true],
    ["not when nothing was reported", { usage: { cacheRead: 0, cacheWrite: 0 } }, false],
    ["not when half of it would be read anew", { usage: { cacheRead: 40_000, cacheWrite: 0 } }, false],
    ["not when the text is a small part of it: output of tools is cut", { text: 9_000 }, false],
    ["not when the thoughts cost more than the text", { conversation: 5_000, text: 5_000, thinks: true }, false],
  ];
  test.each(cases)("%s", (_name, fields, expected) => {
    expect(isCheaperInPlace(ways(fields), { cost })).toBe(expected);
  });

  test("by the usual prices where a model has none", () => {
    const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(isCheaperInPlace(ways(), { cost: free })).toBe(true);
    expect(isCheaperInPlace(ways({ text: 9_000 }), { cost: free })).toBe(false);
  });
});

test("more in the cache, or more text to send instead, never speaks against it", () => {
  const tokens = fc.nat({ max: 1_000_000 });
  fc.assert(
    fc.property(tokens, tokens, tokens, tokens, fc.boolean(), (conversation, cacheRead, text, more, thinks) => {
      const before = ways({ conversation, text, thinks, usage: { cacheRead, cacheWrite: 0 } });
      if (!isCheaperInPlace(before, { cost })) return;
      expect(isCheaperInPlace({ ...before, text: text + more }, { cost })).toBe(true);
      const usage = { cacheRead: cacheRead + more, cacheWrite: 0 };
      expect(isCheaperInPlace({ ...before, usage }, { cost })).toBe(true);
    }),
  );
});
