import { expect, test } from "bun:test";
import { FakeClock } from "../../../agent/test/support/fake-clock.ts";
import { quiet } from "../../../agent/test/support/quiet.ts";
import { ExclusiveWork } from "../../src/compaction/exclusive-work.ts";

const untilStopped = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    if (signal.aborted) resolve("stopped");
    signal.addEventListener("abort", () => resolve("stopped"));
  });

test("work is stopped by abort, which waits for its end", async () => {
  const work = new ExclusiveWork(new FakeClock());
  const running = work.runAutomatic(undefined, untilStopped);
  expect(work.isRunning).toBe(true);
  await work.abort();
  expect(work.isRunning).toBe(false);
  expect(await running).toBe("stopped");
});

test("work is stopped by the caller's signal, before and after it began", async () => {
  const work = new ExclusiveWork(new FakeClock());
  const outer = new AbortController();
  const running = work.runAutomatic(outer.signal, untilStopped);
  outer.abort();
  expect(await running).toBe("stopped");
  expect(await work.runAutomatic(outer.signal, untilStopped)).toBe("stopped");
});

test("automatic work does not start during other work", async () => {
  const work = new ExclusiveWork(new FakeClock());
  const running = work.runAsked(5_000, untilStopped);
  await expect(work.runAutomatic(undefined, async () => "second")).rejects.toThrow();
  await work.abort();
  expect(await running).toBe("stopped");
});

test("failed work is over too", async () => {
  const work = new ExclusiveWork(new FakeClock());
  const running = work.runAutomatic(undefined, async () => {
    throw new Error("broken");
  });
  await expect(running).rejects.toThrow("broken");
  await work.settled();
  expect(work.isRunning).toBe(false);
});

test("automatic work gives way", async () => {
  const clock = new FakeClock();
  const work = new ExclusiveWork(clock);
  const running = work.runAutomatic(undefined, untilStopped);
  expect(await work.runAsked(5_000, async () => "mine")).toBe("mine");
  expect(await running).toBe("stopped");
  expect(clock.sleeperCount).toBe(0);
});

test("automatic work that does not stop in time refuses to", async () => {
  const clock = new FakeClock();
  const work = new ExclusiveWork(clock);
  const stuck = Promise.withResolvers<void>();
  const running = work.runAutomatic(undefined, () => stuck.promise);
  const waiting = work.runAsked(5_000, async () => {});
  waiting.catch(() => {});
  await quiet();
  clock.advance(5_000);
  await expect(waiting).rejects.toMatchObject({ message: "Compaction already in progress", code: "in_progress" });
  stuck.resolve();
  await running;
});

test("requested work is awaited", async () => {
  const work = new ExclusiveWork(new FakeClock());
  const gate = Promise.withResolvers<string>();
  const running = work.runAsked(5_000, () => gate.promise);
  const order: string[] = [];
  const waiting = ["second", "third"].map((name) =>
    work.runAsked(5_000, async () => {
      order.push(`${name} begins`);
      await quiet();
      order.push(`${name} ends`);
    }),
  );
  await quiet();
  expect(order).toEqual([]);
  gate.resolve("done");
  expect(await running).toBe("done");
  await Promise.all(waiting);
  expect(order).toEqual(["second begins", "second ends", "third begins", "third ends"]);
});

test("no listener remains on the caller's signal", async () => {
  const work = new ExclusiveWork(new FakeClock());
  const { signal } = new AbortController();
  let listeners = 0;
  const counting = new Proxy(signal, {
    get: (target, key) => {
      if (key === "addEventListener") return () => (listeners += 1);
      if (key === "removeEventListener") return () => (listeners -= 1);
      return Reflect.get(target, key);
    },
  });
  await work.runAutomatic(counting, async () => {});
  expect(listeners).toBe(0);
});
