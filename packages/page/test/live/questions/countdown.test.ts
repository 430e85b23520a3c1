import { expect, test } from "bun:test";
import { countdown, spokenTime } from "../../../src/live/questions/countdown.ts";

test.each([
  [0, "0:00", true, true],
  [1, "0:01", true, false],
  [15_000, "0:15", true, false],
  [59_001, "1:00", false, false],
  [605_000, "10:05", false, false],
  [3_600_000, "1:00:00", false, false],
  [86_399_000, "23:59:59", false, false],
  [-5_000, "0:00", true, true],
])("%p ms are left", (left, text, isUrgent, isOver) => {
  expect(countdown(1_000_000 + left, 1_000_000)).toEqual({ text, isUrgent, isOver });
});

test.each([
  [-1, "0 seconds"],
  [1_000, "1 second"],
  [89_000, "89 seconds"],
  [120_000, "2 minutes"],
  [86_400_000, "24 hours"],
])("%p ms are announced", (left, text) => {
  expect(spokenTime(left, 0)).toBe(text);
});
