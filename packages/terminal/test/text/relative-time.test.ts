import { expect, test } from "bun:test";
import { relativeTime } from "../../src/questions/session-picker.ts";

test("times are shown in the largest unit that has passed", () => {
  const now = Date.parse("2026-11-18T12:00:00Z");
  const shown = (iso: string) => relativeTime(iso, now);
  expect(shown("2026-11-18T11:59:40Z")).toBe("just now");
  expect(shown("2026-11-18T11:59:00Z")).toBe("1 minute ago");
  expect(shown("2026-11-18T09:30:00Z")).toBe("2 hours ago");
  expect(shown("2026-11-15T09:30:00Z")).toBe("3 days ago");
  expect(shown("2026-11-01T09:30:00Z")).toBe("2 weeks ago");
  expect(shown("2024-10-01T09:30:00Z")).toBe("2 years ago");
});
