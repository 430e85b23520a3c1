import { expect, test } from "bun:test";
import { quiet } from "../../../agent/test/support/quiet.ts";
import { eventWords, testBench, until } from "../support/compaction/bench.ts";
import { answer, long, user } from "../support/compaction/messages.ts";

const IDLE = {
  "compaction.idleEnabled": true,
  "compaction.idleThresholdTokens": 500,
  "compaction.idleTimeoutSeconds": 60,
  "compaction.keepRecentTokens": 100,
};
const conversation = () => [user(long(300, "m1")), answer(long(300, "m2")), user(long(300, "m3")), answer("")];

test("a large conversation is compacted after an idle period", async () => {
  const { append, compactor, clock, events } = testBench({ settings: IDLE });
  append(...conversation());
  await compactor.afterRun("stop");
  clock.advance(59_999);
  await quiet();
  expect(events).toEqual([]);
  clock.advance(1);
  await until(() => eventWords(events).length === 2);
  expect(eventWords(events)).toEqual(["start idle", "end idle result"]);
});

test("not if it was compacted and there has been no answer since", async () => {
  const { append, compactor, clock, events } = testBench({
    settings: { ...IDLE, "compaction.idleThresholdTokens": 10 },
  });
  append(...conversation());
  await compactor.compact();
  clock.advance(60_000);
  await quiet();
  expect(eventWords(events)).toEqual(["start manual", "end manual result"]);
});

test("not when it is small", async () => {
  const { append, compactor, clock, events } = testBench({ settings: IDLE });
  append(user("m1"), answer("m2"));
  compactor.watchIdle();
  clock.advance(60_000);
  await quiet();
  expect(events).toEqual([]);
});

test("not by default, and then there is no timer", async () => {
  const { append, compactor, clock } = testBench();
  append(...conversation());
  await compactor.afterRun("stop");
  expect(clock.sleeperCount).toBe(0);
});

test("not when compaction is turned off in the meantime", async () => {
  const { append, compactor, clock, events } = testBench({ settings: IDLE });
  append(...conversation());
  compactor.watchIdle();
  compactor.enabled = false;
  clock.advance(60_000);
  await quiet();
  expect(events).toEqual([]);
});

test("a prompt ends the idle period", async () => {
  const { append, compactor, clock, events } = testBench({ settings: IDLE });
  append(...conversation());
  compactor.watchIdle();
  await compactor.beforePrompt(new AbortController().signal);
  expect(clock.sleeperCount).toBe(0);
  clock.advance(60_000);
  await quiet();
  expect(events).toEqual([]);
});

test("each end of a run restarts the idle period", async () => {
  const { append, compactor, clock, events } = testBench({ settings: IDLE });
  append(...conversation());
  await compactor.afterRun("aborted");
  clock.advance(40_000);
  await compactor.afterRun("aborted");
  clock.advance(40_000);
  await quiet();
  expect(events).toEqual([]);
  expect(clock.sleeperCount).toBe(1);
  await compactor.dispose();
  expect(clock.sleeperCount).toBe(0);
});
