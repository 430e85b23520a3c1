export interface LoggedPlan {
  text: string;
  plan: string;
  times: number;
  slowest: number;
}

const ENTRY = /LOG: {2}duration: ([\d.]+) ms {2}plan:\n\s*Query Text: ([\s\S]*?)\n\s*(\w[^\n]*\(cost=[\s\S]*)/;

/**
 * Reads auto_explain's log, whose lines begin with `@@ `. Returns each kind of statement once, with the plan of its slowest
 * execution.
 */
export function plansIn(log: string): LoggedPlan[] {
  const plans = new Map<string, LoggedPlan>();
  for (const entry of log.split(/^@@ /m)) {
    const [, ms, text = "", plan = ""] = ENTRY.exec(entry) ?? [];
    if (ms === undefined || !text.includes("pintle.")) continue;
    const key = text.replace(/\s+/g, " ").trim();
    const known = plans.get(key);
    const slowest = Math.max(known?.slowest ?? 0, Number(ms));
    plans.set(key, {
      text: text.trim(),
      plan: slowest === Number(ms) ? plan.trimEnd() : (known?.plan ?? plan),
      times: (known?.times ?? 0) + 1,
      slowest,
    });
  }
  return [...plans.values()].toSorted((a, b) => b.slowest - a.slowest);
}
