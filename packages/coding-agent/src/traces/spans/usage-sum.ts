import { promptTokens } from "@pintle/ai";
import type { Attributes } from "../span.ts";
import { type CallEnd, messageOf } from "./model-call.ts";

/** Total usage of a run's model calls. */
export class UsageSum {
  #input = 0;
  #output = 0;
  #cacheRead = 0;
  #cacheWrite = 0;
  #reasoning = 0;
  #cost = 0;
  #calls = 0;

  /** Adds the usage of one answer, or undefined if it is unknown. */
  add(end: CallEnd): { input: number; output: number; cost: number } | undefined {
    this.#calls += 1;
    const usage = messageOf(end)?.usage;
    if (!usage || usage.totalTokens === 0) return undefined;
    const input = promptTokens(usage);
    const { output, cost } = usage;
    this.#input += input;
    this.#output += output;
    this.#cacheRead += usage.cacheRead;
    this.#cacheWrite += usage.cacheWrite;
    this.#reasoning += usage.reasoning ?? 0;
    this.#cost += cost.total;
    return { input, output, cost: cost.total };
  }

  attributes(): Attributes {
    return {
      "gen_ai.usage.input_tokens": this.#input,
      "gen_ai.usage.output_tokens": this.#output,
      "gen_ai.usage.cache_read.input_tokens": this.#cacheRead,
      "gen_ai.usage.cache_creation.input_tokens": this.#cacheWrite,
      "gen_ai.usage.reasoning.output_tokens": this.#reasoning > 0 ? this.#reasoning : undefined,
      "pintle.cost.usd": this.#cost > 0 ? this.#cost : undefined,
      "pintle.run.model_calls": this.#calls,
    };
  }
}
