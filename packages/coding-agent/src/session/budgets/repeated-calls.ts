import { createHash } from "node:crypto";
import type { AssistantMessage, ToolCall, ToolResultMessage } from "@pintle/ai";

/** The longest cycle that is detected, in calls. */
const MAX_PERIOD = 3;

export interface Repetition {
  /** How many times in a row the same calls had the same results. 1 means no repetition. */
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
 * Detects a model that repeats itself: the same call with the same result, or a cycle of up to three calls. It also compares
 * whole turns, so it detects batches of parallel calls, too. A changed result ends the streak.
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
    // A turn without calls is an answer, and polling tools repeat calls by design: both end the streak.
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

/** Counts how many times in a row the last one, two or three steps were repeated. */
class CycleCounter {
  /** The recent steps, the newest last. */
  readonly #recent: Step[] = [];
  /** Per cycle length: how many consecutive steps equal the step that many places earlier. */
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

/** Identifies a call by its arguments and by what the model sees of the result. Omits details such as durations. */
function fingerprint({ name, arguments: args }: ToolCall, result: ToolResultMessage | undefined): string {
  const facts = [name, args, result?.content ?? [], result?.isError ?? false];
  return createHash("sha256").update(JSON.stringify(facts)).digest("base64");
}
