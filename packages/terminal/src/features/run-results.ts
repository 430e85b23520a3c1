import type { PromptResultEvent } from "@pintle/client";
import type { App, Feature } from "../app.ts";

const MAX_SHOWN_DENIALS = 5;

/** Shows what a run returned besides its messages: the output, rejected attempts at it, denied calls and the cost. */
export const runResults: Feature = (app) => {
  app.onSession((session) => {
    /** Prompts that joined one run have the same result. */
    let isShown = false;
    session.on("agent_start", () => {
      isShown = false;
    });
    session.on("output_rejected", ({ attempt, attemptsLeft, errors: [first] }) => {
      const why = first ? `${first.path === "" ? "(root)" : first.path}: ${first.message}` : "invalid";
      app.say(`Output rejected (attempt ${attempt}, ${attemptsLeft} left): ${why}`, "warning");
    });
    session.on("prompt_result", (result) => {
      if (isShown || !result.agentInvoked) return;
      isShown = true;
      show(app, result);
    });
  });
};

function show(app: App, { output, denials = [], cost }: PromptResultEvent): void {
  if (output !== undefined) app.say(`Output:\n${JSON.stringify(output, null, 2)}`);
  for (const { tool, reason } of denials.slice(0, MAX_SHOWN_DENIALS)) app.say(`Denied: ${tool} (${reason})`, "warning");
  const others = denials.length - MAX_SHOWN_DENIALS;
  if (others > 0) app.say(`Denied: ${others} more`, "warning");
  if (cost && (output !== undefined || denials.length > 0)) app.say(`Cost of the run: $${cost.toFixed(4)}`);
}
