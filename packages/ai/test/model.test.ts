import { describe, expect, test } from "bun:test";
import type { Model } from "../src/model.ts";
import { offlineModel } from "../src/offline/offline-info.ts";
import { clampThinkingLevel, supportedThinkingLevels, THINKING_LEVELS } from "../src/thinking.ts";
import { toUsage } from "../src/usage.ts";

const reasoning = (thinkingLevelMap?: Model["thinkingLevelMap"]): Model => ({
  ...offlineModel,
  reasoning: true,
  ...(thinkingLevelMap && { thinkingLevelMap }),
});

describe("supported thinking levels", () => {
  test.each<[string, Model, string[]]>([
    ["a model that cannot reason", offlineModel, ["off"]],
    ["a reasoning model", reasoning(), ["off", "minimal", "low", "medium", "high"]],
    ["a model that names xhigh", reasoning({ xhigh: "max" }), ["off", "minimal", "low", "medium", "high", "xhigh"]],
    ["a model without two levels", reasoning({ minimal: null, high: null }), ["off", "low", "medium"]],
    ["a model that cannot be switched off", reasoning({ off: null }), ["off", "minimal", "low", "medium", "high"]],
  ])("of %s", (_name, model, levels) => {
    expect(supportedThinkingLevels(model)).toEqual(levels as never);
  });
});

describe("clamping goes to the nearest level, upwards first", () => {
  test.each<[string, Model, string[]]>([
    ["a model that cannot reason", offlineModel, ["off", "off", "off", "off", "off", "off", "off"]],
    ["a reasoning model", reasoning(), ["off", "minimal", "low", "medium", "high", "high", "high"]],
    [
      "a model without minimal and high",
      reasoning({ minimal: null, high: null }),
      ["off", "low", "low", "medium", "medium", "medium", "medium"],
    ],
    [
      "a model with a gap below xhigh",
      reasoning({ high: null, xhigh: "max" }),
      ["off", "minimal", "low", "medium", "xhigh", "xhigh", "xhigh"],
    ],
    [
      "a model that has max and not xhigh",
      reasoning({ max: "most" }),
      ["off", "minimal", "low", "medium", "high", "max", "max"],
    ],
  ])("for %s", (_name, model, levels) => {
    expect(THINKING_LEVELS.map((level) => clampThinkingLevel(level, model))).toEqual(levels as never);
  });
});

test("usage is priced per million tokens and kind", () => {
  const cost = { input: 3, output: 15, cacheRead: 0.5, cacheWrite: 4 };
  expect(toUsage({ cost }, { input: 1_000_000, output: 200_000, cacheRead: 2_000_000, cacheWrite: 500_000 })).toEqual({
    input: 1_000_000,
    output: 200_000,
    cacheRead: 2_000_000,
    cacheWrite: 500_000,
    totalTokens: 3_700_000,
    cost: { input: 3, output: 3, cacheRead: 1, cacheWrite: 2, total: 9, totalFromProvider: false },
  });
});
