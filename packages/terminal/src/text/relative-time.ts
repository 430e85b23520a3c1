const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [365 * DAY, "year"],
  [30 * DAY, "month"],
  [7 * DAY, "week"],
  [DAY, "day"],
  [HOUR, "hour"],
  [MINUTE, "minute"],
];

/** Returns how long ago a moment was: `3 hours ago`. */
export function relativeTime(iso: string, now: number): string {
  const passed = now - Date.parse(iso);
  const [ms, name] = UNITS.find(([unit]) => passed >= unit) ?? [0, ""];
  if (ms === 0) return "just now";
  const count = Math.floor(passed / ms);
  return `${count} ${name}${count === 1 ? "" : "s"} ago`;
}
