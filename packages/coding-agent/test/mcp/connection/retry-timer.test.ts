import { expect, test } from "bun:test";
import { RetryTimer } from "../../../src/mcp/connection/retry-timer.ts";

function timers() {
  const pauses: number[] = [];
  let pending: (() => void) | undefined;
  return {
    pauses,
    fire: () => pending?.(),
    isSet: () => pending !== undefined,
    start(run: () => void, ms: number) {
      pauses.push(ms);
      pending = () => {
        pending = undefined;
        run();
      };
      return () => {
        pending = undefined;
      };
    },
  };
}

test("retries with growing delays, and eventually stops", () => {
  const clock = timers();
  let attempts = 0;
  const retry = new RetryTimer(() => {
    attempts += 1;
    retry.failed();
  }, clock);
  retry.failed();
  while (clock.isSet()) clock.fire();
  expect(attempts).toBe(clock.pauses.length);
  expect(clock.pauses).toEqual([...clock.pauses].sort((a, b) => a - b));
  expect(clock.pauses.reduce((sum, ms) => sum + ms)).toBeLessThan(180_000);
});

test("resets after a success and stops when it ends", () => {
  const clock = timers();
  const retry = new RetryTimer(() => {}, clock);
  retry.failed();
  retry.failed();
  retry.succeeded();
  expect(clock.isSet()).toBe(false);
  retry.failed();
  expect(clock.pauses.at(-1)).toBe(clock.pauses[0]);
  retry.close();
  retry.failed();
  expect(clock.isSet()).toBe(false);
});
