import type { CheckReport } from "./run-checks.ts";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export function countOf(reports: readonly CheckReport[]): Counts {
  const count = (outcome: CheckReport["outcome"]) => reports.filter((report) => report.outcome === outcome).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

/** Prints a line per check, and the details of each failure. */
export function textOf({ name, outcome, message, rule, link, frames = [] }: CheckReport): string {
  if (outcome === "passed") return `ok    ${name}`;
  if (outcome === "skipped") return `skip  ${name}: ${message}`;
  const shown = frames.map(({ way, text }) => `        ${way} ${text}`);
  return [`FAIL  ${name}: ${message}`, `      rule: ${rule}`, `      ${link}`, ...shown].join("\n");
}

export function jsonOf(
  reports: readonly CheckReport[],
  agent: { command: readonly string[]; profile: string },
): string {
  return `${JSON.stringify({ agent, counts: countOf(reports), checks: reports }, null, 2)}\n`;
}
