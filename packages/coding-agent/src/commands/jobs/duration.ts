import { UsageError } from "../../cli/usage-error.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `90s`, `10m` or `2h` and returns milliseconds. A bare number is in seconds. */
export function parseDuration(text: string, flag: string): number {
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (UNITS[unit] ?? 0));
  if (number === "" || ms < 1) throw new UsageError(`--${flag} takes a time such as 90s, 10m or 2h, not "${text}"`);
  return ms;
}
