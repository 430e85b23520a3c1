import { createHash } from "node:crypto";
import type { AssistantMessage, ToolCall, ToolResultMessage } from "@pintle/ai";

/** The longest cycle that is found. */
const MAX_PERIOD = 3;

export interface Repetition {
  /** How often the same calls came in a row, each time with the same results. 1 means no repetition. */
  rounds: number;
  /** The tools of one round, in the order of their calls. */
  tools: readonly string[];
}

const NONE: Repetition = { rounds: 1, tools: [] };

interface Step {
  fingerprint: string;
  tools: readonly string[];
}

/**
 * Finds a model that repeats itself: the same call with the same result, or a cycle of up to three calls. Whole turns are
 * compared as well, so a batch of many parallel calls is found too. A changed result ends the streak.
 */
export class RepeatedCalls {
  readonly #polls: (tool: string) => boolean;
  #calls = new CycleCounter();
  #turns = new CycleCounter();

  constructor(polls: (tool: string) => boolean) {
    this.#polls = polls;
  }

  reset(): void {
    this.#calls = new CycleCounter();
    this.#turns = new CycleCounter();
  }

  add(message: AssistantMessage, results: readonly ToolResultMessage[]): Repetition {
    const calls = message.content.filter((block) => block.type === "toolCall");
    // Without calls the model has answered, and what follows is another question. Polling is no repetition.
    if (calls.length === 0 || calls.some(({ name }) => this.#polls(name))) {
      this.reset();
      return NONE;
    }
    const byId = new Map(results.map((result) => [result.toolCallId, result]));
    const steps = calls.map((call) => ({ fingerprint: fingerprint(call, byId.get(call.id)), tools: [call.name] }));
    const found = steps.map((step) => this.#calls.add(step));
    const turn = { fingerprint: steps.map((step) => step.fingerprint).join(), tools: calls.map(({ name }) => name) };
    return [...found, this.#turns.add(turn)].reduce((most, other) => (other.rounds > most.rounds ? other : most), NONE);
  }
}

/** Counts how often the last one, two or three steps came in a row. */
class CycleCounter {
  /** The newest last. */
  readonly #recent: Step[] = [];
  /** By period: how many steps in a row equal the step that many places before them. */
  readonly #matches: number[] = Array.from({ length: MAX_PERIOD }, () => 0);

  add(step: Step): Repetition {
    let best = NONE;
    for (let period = 1; period <= MAX_PERIOD; period += 1) {
      const isSame = this.#recent.at(-period)?.fingerprint === step.fingerprint;
      const matches = isSame ? this.#matches[period - 1]! + 1 : 0;
      this.#matches[period - 1] = matches;
      const rounds = Math.floor(matches / period) + 1;
      if (rounds <= best.rounds) continue;
      best = {
        rounds,
        tools: [...this.#recent.slice(-period + 1 || this.#recent.length), step].flatMap((one) => one.tools),
      };
    }
    this.#recent.push(step);
    if (this.#recent.length > MAX_PERIOD) this.#recent.shift();
    return best;
  }
}

/** Details are left out: they hold durations and other facts that the model does not see. */
function fingerprint({ name, arguments: args }: ToolCall, result: ToolResultMessage | undefined): string {
  const facts = [name, args, result?.content ?? [], result?.isError ?? false];
  return createHash("sha256").update(JSON.stringify(facts)).digest("base64");
}
