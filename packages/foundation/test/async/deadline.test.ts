import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { within, withinTime } from "../../src/async/deadline.ts";

const never = new Promise<never>(() => {});

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
});

describe("within", () => {
  test("gives the end of the work, its failure too, and leaves no timer", async () => {
    expect(await within(100, Promise.resolve(7))).toBe(7);
    const failure = new Error("no");
    expect(await within(100, Promise.reject(failure)).catch((error: unknown) => error)).toBe(failure);
    expect(jest.getTimerCount()).toBe(0);
  });

  test("gives undefined when the time is over first", async () => {
    const waiting = within(100, never);
    jest.advanceTimersByTime(100);
    expect(await waiting).toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
  });

  test("drops a failure that comes too late", async () => {
    const work = Promise.withResolvers<number>();
    const waiting = within(100, work.promise);
    jest.advanceTimersByTime(100);
    expect(await waiting).toBeUndefined();
    work.reject(new Error("late")); // would fail this file as an unhandled rejection
    await null;
  });
});

describe("withinTime", () => {
  const limit = { ms: 2_000, text: "the work took more than", keepsAlive: true };

  test("gives the end of the work and leaves no timer", async () => {
    expect(await withinTime(async () => 7, limit)).toBe(7);
    expect(jest.getTimerCount()).toBe(0);
  });

  test("rejects with a message and the time if the time passes first", async () => {
    const waiting = withinTime(() => never, limit).catch((error: unknown) => error);
    jest.advanceTimersByTime(2_000);
    expect(await waiting).toEqual(new Error("the work took more than 2 s"));
    expect(jest.getTimerCount()).toBe(0);
  });
});
