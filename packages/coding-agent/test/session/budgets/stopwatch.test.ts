import { expect, test } from "bun:test";
import { Stopwatch } from "../../../src/session/budgets/stopwatch.ts";

test("adds up the periods in which it runs, and can be restarted while it runs", () => {
  let now = 100;
  const watch = new Stopwatch(() => now);
  const after = (ms: number) => {
    now += ms;
    return watch.elapsedMs;
  };
  expect(after(5)).toBe(0);
  watch.start();
  expect(after(10)).toBe(10);
  watch.start();
  expect(after(10)).toBe(20);
  watch.stop();
  expect([after(50), watch.isRunning]).toEqual([20, false]);
  watch.start();
  expect(after(1)).toBe(21);
  watch.reset();
  expect([after(2), watch.isRunning]).toEqual([2, true]);
});
