import { expect, test } from "bun:test";
import { retryAfterMs, retryAfterMsInText } from "../../src/transport/retry-after.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

test.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ "retry-after-ms": "1500" }, 1500],
  [{ "retry-after-ms": "12.3" }, 13],
  [{ "retry-after": "20" }, 20_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "7s" }, 7000],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
  [{ "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "x-ratelimit-reset-ms": "250" }, 250],
  [{ "x-ratelimit-reset": "60" }, 60_000],
  [{ "x-ratelimit-reset": String(now / 1000 + 90) }, 90_000],
  [{ "x-ratelimit-reset": String(now + 4000) }, 4000],
  [{ "x-ratelimit-reset": String(now / 1000 - 90) }, 0],
  [{ "retry-after": "1", "retry-after-ms": "3000", "x-ratelimit-reset": "2" }, 3000],
])("headers %j ask for %p ms", (headers, expected) => {
  expect(retryAfterMs(new Headers(headers), now)).toBe(expected as number);
});

test.each<[string, number | undefined]>([
  ["Rate limit reached. Please try again in 20s.", 20_000],
  ["Please try again in 1.5s", 1500],
  ["please retry after 30 seconds", 30_000],
  ["Please retry in 38.52s.", 38_520],
  ["try again in 300ms", 300],
  ["try again in 6m0s", 360_000],
  ["try again in 1m20.5s", 80_500],
  ["try again in 2 minutes", 120_000],
  ["try again in 2 min 5 sec", 125_000],
  ["try again in 5m", 300_000],
  ["try again in 1 second", 1000],
  ["overloaded retry-after-ms=700", 700],
  ["retry-after-ms: 42", 42],
  ["try again later", undefined],
  ["try again in a while", undefined],
  ["try again in 5 days", undefined],
  ["it took 20s", undefined],
])("the sentence %j asks for %p ms", (text, expected) => {
  expect(retryAfterMsInText(text)).toBe(expected as number);
});
