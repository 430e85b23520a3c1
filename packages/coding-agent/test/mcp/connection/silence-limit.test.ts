import { expect, test } from "bun:test";
import { SilenceLimit } from "../../../src/mcp/connection/silence-limit.ts";
import { FakeTimers } from "../../support/modes/frames/fake-timers.ts";

function watch(question?: { isOpen: boolean; endedAt: number }) {
  const timers = new FakeTimers();
  const state = { isSilent: false };
  const limit = new SilenceLimit({ ms: 100, question, timers, onSilence: () => (state.isSilent = true) });
  return { timers, state, limit };
}

test("activity restarts the timeout", () => {
  const { timers, state, limit } = watch();
  timers.advance(90);
  limit.sign();
  timers.advance(90);
  expect(state.isSilent).toBe(false);
  timers.advance(10);
  expect(state.isSilent).toBe(true);
  expect(timers.pendingCount).toBe(0);
});

test("pauses while the user is asked, then restarts the timeout", () => {
  const question = { isOpen: false, endedAt: 0 };
  const { timers, state } = watch(question);
  timers.advance(50);
  question.isOpen = true;
  timers.advance(1_000);
  question.isOpen = false;
  question.endedAt = timers.now();
  timers.advance(99);
  expect(state.isSilent).toBe(false);
  timers.advance(1);
  expect(state.isSilent).toBe(true);
});

test("leaves no timer behind after the response", () => {
  const { timers, state, limit } = watch();
  limit.end();
  timers.advance(1_000);
  expect({ ...state, left: timers.pendingCount }).toEqual({ isSilent: false, left: 0 });
});
