import { describe, expect, test } from "bun:test";
import { readBudgetFlag } from "../../src/cli/budget-flag.ts";
import { UsageError } from "../../src/cli/usage-error.ts";

describe("--budget", () => {
  test.each([
    ["cost=2", { costUsd: 2 }],
    ["cost=0.25,turns=50", { costUsd: 0.25, turns: 50 }],
    ["tokens=200k", { tokens: 200_000 }],
    ["tokens=1.5M,calls=3", { tokens: 1_500_000, toolCalls: 3 }],
    ["time=90", { wallMs: 90_000 }],
    ["time=90s", { wallMs: 90_000 }],
    ["time=1.5m", { wallMs: 90_000 }],
    ["time=250ms", { wallMs: 250 }],
    ["time=2h, scope=session, reached=stop", { wallMs: 7_200_000, scope: "session", onReached: "stop" }],
    ["cost=1,unknown=ignore", { costUsd: 1, costUnknown: "ignore" }],
  ])("%s", (text, wish) => {
    expect(readBudgetFlag(text, "--budget")).toEqual(wish as object);
  });

  test.each([
    ["", 'unknown limit ""'],
    ["2", 'unknown limit "2"'],
    ["constructor=1", 'unknown limit "constructor"'],
    ["cost=", "cost must be an amount in USD"],
    ["cost=-1", "cost must be an amount in USD"],
    ["cost=2k", "cost must be an amount in USD"],
    ["turns=0", "turns must be a number"],
    ["time=10d", "time must be a time"],
    ["scope=day", "scope must be run or session"],
    ["reached=cry", "reached must be pause or stop"],
  ])("%j is a mistake", (text, message) => {
    expect(() => readBudgetFlag(text, "--budget")).toThrow(UsageError);
    expect(() => readBudgetFlag(text, "--budget")).toThrow(`--budget: ${message}`);
  });
});
