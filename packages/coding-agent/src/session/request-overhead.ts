import type { Tool } from "@pintle/agent";
import { estimateTextTokens } from "@pintle/ai";

/** What a request weighs besides its messages. Counted again only when its parts are others: every `get_state` asks. */
export class RequestOverhead {
  #counted: { systemPrompt: string; tools: readonly Tool[]; tokens: number } | undefined;

  tokens(systemPrompt: string, tools: readonly Tool[]): number {
    const { systemPrompt: lastPrompt, tools: lastTools, tokens } = this.#counted ?? {};
    if (tokens !== undefined && lastPrompt === systemPrompt && lastTools === tools) return tokens;
    const sent = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
    const counted = estimateTextTokens(systemPrompt + JSON.stringify(sent));
    this.#counted = { systemPrompt, tools, tokens: counted };
    return counted;
  }
}
