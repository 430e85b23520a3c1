import type { AssistantMessage } from "@pintle/ai";
import type { LoopLimits } from "./types.ts";

const MAX_LENGTH_CUTS = 3;
const MAX_EMPTY_ANSWERS = 3;

const EMPTY_NOTE = "Your last answer was empty. Answer the user, or call a tool.";

export interface LimitVerdict {
  /** Ends the run with this error. */
  error?: string;
  /** Sent to the model before it continues. */
  note?: string;
  /** The answer is not accepted: ask again. */
  again?: boolean;
}

/** Watches the turns of one run for answers without progress. A session policy handles repeated tool calls. */
export class TurnLimits {
  #turns = 0;
  #lengthCuts = 0;
  #emptyAnswers = 0;

  /** `owesOutput`: an empty answer is a failed attempt at the output, which reports it itself. */
  check(message: AssistantMessage, limits: LoopLimits, owesOutput = false): LimitVerdict {
    this.#turns += 1;
    const hasCalls = message.content.some((block) => block.type === "toolCall");
    this.#lengthCuts = message.stopReason === "length" && hasCalls ? this.#lengthCuts + 1 : 0;
    if (this.#lengthCuts > MAX_LENGTH_CUTS) return { error: "Output limit reached repeatedly" };

    if (limits.maxTurns > 0 && this.#turns >= limits.maxTurns) return { error: `Stopped after ${this.#turns} turns` };

    this.#emptyAnswers = isEmptyAnswer(message) ? this.#emptyAnswers + 1 : 0;
    if (!owesOutput && this.#emptyAnswers > 0 && this.#emptyAnswers <= MAX_EMPTY_ANSWERS)
      return { note: EMPTY_NOTE, again: true };
    return {};
  }
}

function isEmptyAnswer({ stopReason, content }: AssistantMessage): boolean {
  return (
    stopReason === "stop" &&
    !content.some((block) => block.type === "toolCall" || (block.type === "text" && block.text.trim() !== ""))
  );
}
