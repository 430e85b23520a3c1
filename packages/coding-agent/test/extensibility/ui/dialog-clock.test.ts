import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { DialogClock } from "../../../src/extensibility/ui/dialog-clock.ts";

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = new Promise<never>(() => {});

/** Returns the outcome of the work after that time. */
async function outcome(work: Promise<unknown>, ms: number): Promise<unknown> {
  let found: unknown = "still waiting";
  work.then(
    (value) => (found = value),
    (error: Error) => (found = error.message),
  );
  for (let passed = 0; passed < ms; passed += 5) {
    jest.advanceTimersByTime(5);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
  return found;
}

describe("DialogClock", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test("returns what the work returns, or throws what it throws", async () => {
    const clock = new DialogClock();
    expect(await outcome(clock.within(Promise.resolve(7), 1_000), 10)).toBe(7);
    expect(await outcome(clock.within(Promise.reject(new Error("no")), 1_000), 10)).toBe("no");
  });

  test("ends the wait for work that takes too long", async () => {
    const waiting = new DialogClock().within(never, 20);
    expect(await outcome(waiting, 15)).toBe("still waiting");
    expect(await outcome(waiting, 10)).toBe("no answer within 0.02 s");
  });

  test("does not count time in dialogs, including concurrent ones", async () => {
    const clock = new DialogClock();
    const work = (async () => {
      await Promise.all([clock.ask(() => after(150)), clock.ask(() => after(200))]);
      await clock.ask(() => after(150));
      return "answered";
    })();
    expect(await outcome(clock.within(work, 100), 400)).toBe("answered");
  });

  test("resumes counting when the dialog is closed", async () => {
    const clock = new DialogClock();
    const waiting = clock.within(
      clock.ask(() => after(60)).then(() => never),
      40,
    );
    expect(await outcome(waiting, 90)).toBe("still waiting");
    expect(await outcome(waiting, 20)).toBe("no answer within 0.04 s");
  });

  test("resumes counting after a dialog that fails", async () => {
    const clock = new DialogClock();
    await clock.ask(() => Promise.reject(new Error("gone"))).catch(() => {});
    expect(await outcome(clock.within(never, 20), 25)).toBe("no answer within 0.02 s");
  });

  test("earlier time in dialogs does not extend later work", async () => {
    const clock = new DialogClock();
    await outcome(
      clock.ask(() => after(80)),
      100,
    );
    expect(await outcome(clock.within(never, 30), 35)).toBe("no answer within 0.03 s");
  });
});
