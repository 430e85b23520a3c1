import { expect, test } from "bun:test";
import { QueueUpdates } from "../../../src/session/conversation/queue-updates.ts";
import { FakeTimers } from "../../support/modes/frames/fake-timers.ts";

test("sends ten updates at once and the rest as one when a second has passed", () => {
  const timers = new FakeTimers();
  let sent = 0;
  const updates = new QueueUpdates(() => {
    sent += 1;
  }, timers);
  for (let change = 0; change < 1000; change += 1) updates.changed();
  expect(sent).toBe(10);
  timers.advance(999);
  expect(sent).toBe(10);
  timers.advance(1);
  expect(sent).toBe(11);
  timers.advance(5000);
  expect(sent).toBe(11);
  updates.changed();
  expect(sent).toBe(12);
});
