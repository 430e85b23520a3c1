import type { BudgetAmounts, BudgetReachedEvent, PauseReason, ReachedLimit } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { duration } from "../feed/spinner.ts";
import { askLine, choose } from "../questions/ask.ts";
import { abortRun } from "./running.ts";

interface LimitWords {
  text(value: number): string;
  /** The unit in which a new total is typed. */
  unit: string;
  /** The size of one such unit. */
  factor: number;
}

const counted = (one: string): LimitWords => ({
  text: (value) => `${value} ${one}${value === 1 ? "" : "s"}`,
  unit: `${one}s`,
  factor: 1,
});

const LIMITS: Readonly<Record<ReachedLimit, LimitWords>> = {
  costUsd: { text: (value) => `$${value.toFixed(2)}`, unit: "US dollars", factor: 1 },
  tokens: counted("token"),
  turns: counted("turn"),
  wallMs: { text: duration, unit: "seconds", factor: 1000 },
  toolCalls: counted("tool call"),
  identicalCalls: counted("identical call"),
};

const PAUSES: Readonly<Record<PauseReason, string>> = {
  no_progress: "The model repeats the same calls",
  no_input: "The run has continued for a long time without a message from you",
};

/** Asks how to continue a run that has used up a limit. Leaving the question ends the run. */
export const budgets: Feature = (app) => {
  app.onSession((session) => {
    session.onBudget(async (reached, { signal }) => {
      const totals = await askForTotal(app, reached, signal);
      if (!totals && !signal.aborted) abortRun(app);
      return totals;
    });
  });
};

async function askForTotal(
  app: App,
  { limit, used, max, scope, reason }: BudgetReachedEvent,
  signal: AbortSignal,
): Promise<BudgetAmounts | undefined> {
  const { text, unit, factor } = LIMITS[limit];
  const head = reason === undefined ? `The budget of this ${scope} is used up` : PAUSES[reason];
  const double = { [limit]: 2 * max };
  for (;;) {
    const value = await choose(app, {
      title: [app.theme.bold(head), app.theme.dim(`${text(used)} of ${text(max)} used`)],
      // The first one is preselected.
      items: [
        { value: "end", label: "end the run" },
        { value: "double", label: `continue up to ${text(2 * max)}` },
        { value: "other", label: "continue up to another total" },
      ],
      signal,
    });
    if (value !== "other") return value === "double" ? double : undefined;
    const title = `New total in ${unit}, more than ${max / factor}`;
    const typed = await askLine(app, { title, signal, isOpenedByUser: true });
    const total = Number(typed?.trim() || Number.NaN) * factor;
    if (total > max && Number.isFinite(total)) return { [limit]: limit === "costUsd" ? total : Math.round(total) };
    if (signal.aborted) return undefined;
    if (typed !== undefined) app.say(`${typed.trim() || "Nothing"} is not a number above ${max / factor}`, "warning");
  }
}
