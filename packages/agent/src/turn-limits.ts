import type { AssistantMessage, ToolCall } from "@pintle/ai";
import type { LoopLimits } from "./types.ts";

const MAX_LENGTH_CUTS = 3;
const MAX_EMPTY_ANSWERS = 3;
const REPEATS_UNTIL_NOTE = 5;

const EMPTY_NOTE = "Your last answer was empty. Answer the user, or call a tool.";
const REPEAT_NOTE =
  "You have made the same tool call with the same arguments several times in a row. It will not give another result: try something else, or answer.";

export interface LimitVerdict {
  /** Ends the run with this error. */
  error?: string;
  /** Said to the model before it goes on. */
  note?: string;
  /** The answer is not accepted: ask again. */
  again?: boolean;
}

/** Watches the turns of one run for a model that goes in circles. */
export class TurnLimits {
  #turns = 0;
  #lengthCuts = 0;
  #emptyAnswers = 0;
  #lastCall = "";
  #repeats = 0;

  check(
    message: AssistantMessage,
    { limits, mayRepeat }: { limits: LoopLimits; mayRepeat: (call: ToolCall) => boolean },
  ): LimitVerdict {
    this.#turns += 1;
    const calls = message.content.filter((block) => block.type === "toolCall");
    this.#lengthCuts = message.stopReason === "length" && calls.length > 0 ? this.#lengthCuts + 1 : 0;
    if (this.#lengthCuts > MAX_LENGTH_CUTS) return { error: "Output limit reached repeatedly" };

    const repeated = this.#countRepeats(calls, mayRepeat);
    if (limits.maxIdenticalCalls > 0 && this.#repeats >= limits.maxIdenticalCalls) {
      return { error: `Stopped after ${this.#repeats} identical calls of ${calls.at(-1)?.name}` };
    }
    if (limits.maxTurns > 0 && this.#turns >= limits.maxTurns) return { error: `Stopped after ${this.#turns} turns` };

    this.#emptyAnswers = isEmptyAnswer(message) ? this.#emptyAnswers + 1 : 0;
    if (this.#emptyAnswers > 0 && this.#emptyAnswers <= MAX_EMPTY_ANSWERS) return { note: EMPTY_NOTE, again: true };
    return repeated ? { note: REPEAT_NOTE } : {};
  }

  /** True at the moment when a streak is long enough for a word about it. */
  #countRepeats(calls: readonly ToolCall[], mayRepeat: (call: ToolCall) => boolean): boolean {
    let noted = false;
    if (calls.length === 0) this.#lastCall = ""; // the model has answered: what comes next is another question
    for (const call of calls) {
      if (mayRepeat(call)) continue;
      const key = `${call.name} ${JSON.stringify(call.arguments)}`;
      this.#repeats = key === this.#lastCall ? this.#repeats + 1 : 1;
      this.#lastCall = key;
      if (this.#repeats === REPEATS_UNTIL_NOTE) noted = true;
    }
    return noted;
  }
}

function isEmptyAnswer({ stopReason, content }: AssistantMessage): boolean {
  return (
    stopReason === "stop" &&
    !content.some((block) => block.type === "toolCall" || (block.type === "text" && block.text.trim() !== ""))
  );
}
