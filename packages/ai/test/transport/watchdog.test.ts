import { afterEach, beforeEach, describe, expect, jest, type Mock, spyOn, test } from "bun:test";
import { IdleWatchdog } from "../../src/transport/watchdog.ts";

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A watchdog that records whether it fired. */
function watch(idleMs: number) {
  const stalled = Promise.withResolvers<void>();
  const state = { isStalled: false, stalled: stalled.promise };
  const watchdog = new IdleWatchdog(idleMs, () => {
    state.isStalled = true;
    stalled.resolve();
  });
  return Object.assign(state, { watchdog });
}

/** What the transport does when bytes arrive that do not complete an event. */
function touch(watchdog: IdleWatchdog, idleMs: number): void {
  watchdog.pause();
  watchdog.wait(idleMs);
}

describe("a connection is stalled", () => {
  test("when nothing arrives", async () => {
    const dog = watch(20);
    await dog.stalled;
    expect(dog.isStalled).toBe(true);
  });
  test("when nothing more arrives", async () => {
    const dog = watch(20);
    touch(dog.watchdog, 20);
    await dog.stalled;
    expect(dog.isStalled).toBe(true);
  });
  test("when only comments arrive", async () => {
    const dog = watch(30);
    while (!dog.isStalled) {
      await sleep(5);
      touch(dog.watchdog, 30);
    }
    expect(dog.isStalled).toBe(true);
  });
  test("after a limit that became shorter", async () => {
    const dog = watch(600_000);
    dog.watchdog.wait(10);
    await dog.stalled;
    expect(dog.isStalled).toBe(true);
  });
  test("after a limit that was disabled and enabled again", async () => {
    const dog = watch(600_000);
    dog.watchdog.wait(0);
    dog.watchdog.wait(10);
    await dog.stalled;
    expect(dog.isStalled).toBe(true);
  });
});

describe("a connection is not stalled", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test("while comments arrive for less than five periods", () => {
    const dog = watch(100);
    for (let ms = 0; ms < 490; ms += 10) {
      jest.advanceTimersByTime(10);
      touch(dog.watchdog, 100);
    }
    expect(dog.isStalled).toBe(false);
    jest.advanceTimersByTime(20);
    expect(dog.isStalled).toBe(true);
  });
  test("while events arrive, however long", () => {
    const dog = watch(100);
    for (let ms = 0; ms < 60_000; ms += 90) {
      jest.advanceTimersByTime(90);
      dog.watchdog.pause();
      dog.watchdog.sawEvent();
      dog.watchdog.wait(100);
    }
    expect(dog.isStalled).toBe(false);
    jest.advanceTimersByTime(200);
    expect(dog.isStalled).toBe(true);
  });
  test("while its reader is busy", () => {
    const dog = watch(100);
    dog.watchdog.pause();
    jest.advanceTimersByTime(60_000);
    expect(dog.isStalled).toBe(false);
    dog.watchdog.wait(100);
    jest.advanceTimersByTime(200);
    expect(dog.isStalled).toBe(true);
  });
});

describe("timers", () => {
  let set: Mock<typeof setTimeout>;
  let clear: Mock<typeof clearTimeout>;
  beforeEach(() => {
    set = spyOn(globalThis, "setTimeout");
    clear = spyOn(globalThis, "clearTimeout");
  });
  afterEach(() => {
    set.mockRestore();
    clear.mockRestore();
  });
  const created = () => set.mock.results.map(({ value }) => value as unknown);
  const cleared = () => clear.mock.calls.map(([timer]) => timer as unknown);

  test("are gone after stop", () => {
    const watchdog = new IdleWatchdog(60_000, () => {});
    touch(watchdog, 60_000);
    touch(watchdog, 5000);
    watchdog.stop();
    expect(created().length).toBe(2);
    expect(created().filter((timer) => !cleared().includes(timer))).toEqual([]);
  });
  test("are not recreated for every chunk", () => {
    const watchdog = new IdleWatchdog(60_000, () => {});
    for (let chunk = 0; chunk < 100; chunk += 1) touch(watchdog, 60_000);
    watchdog.stop();
    expect(created().length).toBe(1);
  });
  test("are not needed without a limit", () => {
    const watchdog = new IdleWatchdog(0, () => {});
    touch(watchdog, 0);
    expect(created()).toEqual([]);
  });
  test("never exceed the platform's maximum", () => {
    const watchdog = new IdleWatchdog(2 ** 40, () => {});
    watchdog.stop();
    expect(set.mock.calls.map(([, delay]) => delay)).toEqual([2 ** 31 - 1]);
  });
});
