import { afterEach, beforeEach, expect, jest, setSystemTime, test } from "bun:test";
import { createSystemClock } from "../src/clock.ts";

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  setSystemTime();
});

test("timestamps strictly increase, even if time stops or goes back", () => {
  const clock = createSystemClock();
  setSystemTime(new Date(5_000));
  const first = [clock.now(), clock.now()];
  setSystemTime(new Date(4_000));
  const second = clock.now();
  setSystemTime(new Date(9_000));
  expect([...first, second, clock.now()]).toEqual([5_000, 5_001, 5_002, 9_000]);
});

test("a delay ends after its time", async () => {
  let isOver = false;
  const delay = createSystemClock()
    .delay(100)
    .then(() => {
      isOver = true;
    });
  jest.advanceTimersByTime(99);
  await null;
  expect(isOver).toBe(false);
  jest.advanceTimersByTime(1);
  await delay;
});

test("a delay ends with its signal and leaves no timer behind", async () => {
  const controller = new AbortController();
  const delay = createSystemClock().delay(100, controller.signal);
  expect(jest.getTimerCount()).toBe(1);
  controller.abort();
  await delay;
  expect(jest.getTimerCount()).toBe(0);
  await createSystemClock().delay(100, controller.signal);
  expect(jest.getTimerCount()).toBe(0);
});

test("a delay beyond the range of a timer does not end immediately", async () => {
  let isOver = false;
  const longest = 2 ** 31 - 1;
  const delay = createSystemClock()
    .delay(2 * longest + 5)
    .then(() => {
      isOver = true;
    });
  jest.advanceTimersByTime(longest);
  jest.advanceTimersByTime(longest);
  await null;
  expect(isOver).toBe(false);
  jest.advanceTimersByTime(5);
  await delay;
});
