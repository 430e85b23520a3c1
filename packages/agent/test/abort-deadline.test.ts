import { expect, test } from "bun:test";
import { AbortDeadline } from "../src/abort-deadline.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { quiet } from "./support/quiet.ts";

function deadline(abortGraceMs = 100) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const limits = () => ({ maxTurns: 0, abortGraceMs });
  return { clock, controller, deadline: new AbortDeadline({ clock, limits }, controller.signal) };
}

const NEVER = new Promise<never>(() => {});

test("without an abort it waits for everything, without a time limit", async () => {
  const { clock, deadline: the } = deadline();
  const gate = Promise.withResolvers<number>();
  const waiting = the.withinGrace("work", gate.promise);
  clock.advance(1_000_000);
  gate.resolve(5);
  expect(await waiting).toBe(5);
  expect(await the.withinGrace("hook", 6)).toBe(6);
  await expect(the.withinGrace("work", Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(clock.sleeperCount).toBe(0);
});

test("work that ends within the grace period is not abandoned", async () => {
  const { clock, controller, deadline: the } = deadline();
  const gate = Promise.withResolvers<number>();
  const waiting = the.withinGrace("work", gate.promise);
  controller.abort();
  clock.advance(99);
  gate.resolve(5);
  expect(await waiting).toBe(5);
});

test("work is abandoned after the grace period, hooks a second later", async () => {
  const { clock, controller, deadline: the } = deadline();
  const ended: string[] = [];
  void the.withinGrace("work", NEVER).then(() => ended.push("work"));
  void the.withinGrace("hook", NEVER).then(() => ended.push("hook"));
  controller.abort();
  clock.advance(100);
  await quiet();
  expect(ended).toEqual(["work"]);
  clock.advance(999);
  await quiet();
  expect(ended).toEqual(["work"]);
  clock.advance(1);
  await quiet();
  expect(ended).toEqual(["work", "hook"]);
});

test("the period starts once: later work gets only the remainder", async () => {
  const { clock, controller, deadline: the } = deadline();
  controller.abort();
  clock.advance(100);
  await quiet();
  expect(await the.withinGrace("work", NEVER)).toBeUndefined();
  clock.advance(1_000);
  await quiet();
  expect(await the.withinGrace("hook", Promise.reject(new Error("too late to matter")))).toBeUndefined();
});

test("leaves no timer behind when closed", async () => {
  const { clock, controller, deadline: the } = deadline();
  controller.abort();
  expect(clock.sleeperCount).toBe(1);
  the.close();
  await quiet();
  expect(clock.sleeperCount).toBe(0);
});
