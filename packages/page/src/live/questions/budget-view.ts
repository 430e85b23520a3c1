import type { BudgetAnswer, BudgetReachedEvent, ReachedLimit } from "@pintle/client/core";
import { h } from "../../dom.ts";
import { count, duration, money, shortNumber } from "../../format.ts";
import { type OpenQuestion, PAUSES, type QuestionKind } from "./question.ts";
import { answerButton, factList, type QuestionView } from "./question-parts.ts";

/** The name of each limit, and the unit that users enter. */
const LIMITS: Readonly<Record<ReachedLimit, { text(value: number): string; unit: string; factor: number }>> = {
  costUsd: { text: money, unit: "US dollars", factor: 1 },
  tokens: { text: (value) => `${shortNumber(value)} tokens`, unit: "tokens", factor: 1 },
  turns: { text: (value) => count(value, "turn"), unit: "turns", factor: 1 },
  wallMs: { text: duration, unit: "seconds", factor: 1000 },
  toolCalls: { text: (value) => count(value, "tool call"), unit: "tool calls", factor: 1 },
  identicalCalls: { text: (value) => count(value, "identical call"), unit: "identical calls", factor: 1 },
};

export const budgetKind: QuestionKind<BudgetReachedEvent, BudgetAnswer | "end_run"> = {
  method: "onBudget",
  name: "Budget",
  title: ({ scope, reason }) => (reason === undefined ? `The budget of this ${scope} is used up` : PAUSES[reason]),
  id: () => "budget",
  deadline: () => undefined,
  byDefault: "the run ends",
  async toAnswer(answer, session) {
    if (answer !== "end_run") return answer;
    await session.abort();
    return undefined;
  },
  view: budgetView,
};

/**
 * Shows a run that has reached a limit and waits. It continues with a higher limit, and ends without an answer.
 */
function budgetView({ asked, answer }: OpenQuestion<"budget">): QuestionView {
  const { limit, used, max } = asked;
  const { text, unit, factor } = LIMITS[limit];
  const field = h("input", { type: "number", id: "new-total", min: 0, step: "any" });
  field.value = String((2 * max) / factor);
  const end = answerButton("End the run", () => answer("end_run"), "danger");
  return {
    first: end,
    content: factList([["used", `${text(used)} of ${text(max)}`]]),
    controls: [
      end,
      h("label", { for: "new-total" }, `New total, in ${unit}`),
      field,
      h("button", { type: "submit", class: "answer-button main" }, "Raise and continue"),
    ],
    submit: () => {
      const total = Number(field.value) * factor;
      if (total > max) answer({ [limit]: limit === "costUsd" ? total : Math.round(total) });
      else field.setCustomValidity(`More than ${text(max)}`);
      field.reportValidity();
    },
  };
}
