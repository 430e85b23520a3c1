import { expect, test } from "bun:test";
import { AnswerTimes } from "../../src/tools/answer-times.ts";

test("adds up the time of all questions about a call, also while one is open", () => {
  let now = 0;
  const times = new AnswerTimes(() => now);
  const answered = times.begin("a");
  now = 300;
  expect([times.of("a"), times.of("b")]).toEqual([300, 0]);
  answered();
  now = 1_000;
  expect(times.of("a")).toBe(300);
  times.begin("a");
  now = 1_100;
  expect(times.of("a")).toBe(400);
  times.forget("b");
  expect(times.of("a")).toBe(400);
});
