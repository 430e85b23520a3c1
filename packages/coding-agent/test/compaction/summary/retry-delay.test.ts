import { expect, test } from "bun:test";
import type { ProviderFailure } from "@pintle/ai";
import { retryDelay } from "../../../src/compaction/summary/summary-request.ts";

const settings = { enabled: true, maxRetries: 3, baseDelayMs: 2_000, maxDelayMs: 60_000 };

test.each<[string, ProviderFailure, number, number | undefined]>([
  ["first repetition", { kind: "overloaded" }, 1, 2_000],
  ["each wait is twice the one before", { kind: "server" }, 3, 8_000],
  ["no more than asked for", { kind: "server" }, 4, undefined],
  ["the server's wish counts when it is longer", { kind: "rate_limit", retryAfterMs: 5_000 }, 1, 5_000],
  ["ours counts when it is shorter", { kind: "rate_limit", retryAfterMs: 5 }, 1, 2_000],
  ["a wish beyond the limit ends it", { kind: "rate_limit", retryAfterMs: 60_001 }, 1, undefined],
  ["a lost connection", { kind: "network" }, 1, 2_000],
  ["silence", { kind: "stall" }, 1, 2_000],
  ["an end in the middle", { kind: "truncated" }, 1, 2_000],
  ["a conflict", { kind: "invalid_request", status: 409 }, 1, 2_000],
  ["a wrong request", { kind: "invalid_request", status: 400 }, 1, undefined],
  ["a wrong key", { kind: "auth", status: 401 }, 1, undefined],
  ["a used-up allowance", { kind: "quota" }, 1, undefined],
  ["an allowance that comes back soon", { kind: "quota", retryAfterMs: 9_000 }, 1, 9_000],
  ["an abort", { kind: "aborted" }, 1, undefined],
])("%s", (_name, failure, attempt, expected) => {
  expect(retryDelay(failure, attempt, settings)).toBe(expected);
});

test("the wait has a limit of its own", () => {
  expect(retryDelay({ kind: "server" }, 9, { ...settings, maxRetries: 20 })).toBe(30_000);
});

test("switched off", () => {
  expect(retryDelay({ kind: "server" }, 1, { ...settings, enabled: false })).toBeUndefined();
});
