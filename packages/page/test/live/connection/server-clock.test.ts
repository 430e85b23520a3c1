import { expect, test } from "bun:test";
import { ServerClock } from "../../../src/live/connection/server-clock.ts";

const told = (date: string | null, now: number) => {
  const clock = new ServerClock();
  clock.set(date, now);
  return Math.round((clock.now() - Date.now()) / 1000);
};
const NOW = Date.parse("2026-05-01T10:00:00Z");

test.each([
  ["Fri, 01 May 2026 10:00:01 GMT", 0],
  ["Fri, 01 May 2026 09:59:58 GMT", 0],
  ["Fri, 01 May 2026 10:10:00 GMT", 600],
  ["Fri, 01 May 2026 09:50:00 GMT", -600],
  [null, 0],
  ["yesterday", 0],
])("a server that says %p is %p seconds ahead", (date, seconds) => {
  expect(told(date, NOW)).toBe(seconds);
});
