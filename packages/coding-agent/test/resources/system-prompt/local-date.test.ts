import { expect, test } from "bun:test";
import { join } from "node:path";

const file = join(import.meta.dir, "../../../src/resources/system-prompt/local-date.ts");

/**
 * Runs in a separate process, because the time zone is read when a process starts. The zones are spelled out for machines
 * without a time zone database.
 */
function daysIn(zone: string, times: readonly string[]): string[] {
  const code = `import { localDate } from ${JSON.stringify(file)};
    const days = [];
    for (const time of ${JSON.stringify(times)}) days.push(await localDate(Date.parse(time)));
    console.log(JSON.stringify(days));`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", code], { env: { ...process.env, TZ: zone } });
  return JSON.parse(stdout.toString());
}

test.each([
  ["UTC", "2026-01-31T23:59:59Z", "2026-01-31"],
  ["PST8PDT,M3.2.0,M11.1.0", "2026-07-01T06:59:59Z", "2026-06-30"],
  ["PST8PDT,M3.2.0,M11.1.0", "2026-07-01T07:00:00Z", "2026-07-01"], // summer time
  ["PST8PDT,M3.2.0,M11.1.0", "2026-12-01T07:59:59Z", "2026-11-30"],
  ["IST-5:30", "2026-02-28T18:30:00Z", "2026-03-01"],
  ["<+14>-14", "2025-12-31T10:00:00Z", "2026-01-01"],
])("in %s at %s the day is %s", (zone, time, day) => {
  expect(daysIn(zone, [time])).toEqual([day]);
});
