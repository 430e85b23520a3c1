import type { Tool } from "@pintle/agent";
import { estimateTextTokens } from "@pintle/ai";
import type { SessionResources } from "../../resources/session-resources.ts";
import type { SystemPromptOptions } from "../../resources/system-prompt/prompt-options.ts";

export interface SessionSystemPromptParts {
  resources: SessionResources;
  cwd(): string;
  /** What the model is offered; the same list as long as it holds the same. */
  tools(): readonly Tool[];
}

/** The system prompt of the session, and what it weighs together with the tools. */
export class SessionSystemPrompt {
  readonly #parts: SessionSystemPromptParts;
  /** Of the newest run, when extensions have written another one for it. */
  #ofRun: string | undefined;
  #counted: { built: string; tools: readonly Tool[]; tokens: number } | undefined;

  constructor(parts: SessionSystemPromptParts) {
    this.#parts = parts;
  }

  /** As the model gets it. */
  get text(): string {
    return this.#ofRun ?? this.#built ?? "";
  }

  get isBuilt(): boolean {
    return this.#built !== undefined;
  }

  /** Builds it again if it is not that of now. */
  load(): Promise<string> {
    const { resources, cwd, tools } = this.#parts;
    return resources.systemPrompt(cwd(), tools());
  }

  options(): Promise<SystemPromptOptions> {
    const { resources, cwd, tools } = this.#parts;
    return resources.promptOptions(cwd(), tools());
  }

  /** Undefined if the run uses the session's own. */
  setForRun(text: string | undefined): void {
    this.#ofRun = text;
  }

  /** Of all that a request holds besides messages. Counted again only when its parts are others: every `get_state` asks. */
  overheadTokens(): number {
    const built = this.#built ?? "";
    const tools = this.#parts.tools();
    if (this.#counted?.built === built && this.#counted.tools === tools) return this.#counted.tokens;
    const sent = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
    const tokens = estimateTextTokens(built + JSON.stringify(sent));
    this.#counted = { built, tools, tokens };
    return tokens;
  }

  get #built(): string | undefined {
    return this.#parts.resources.builtSystemPrompt(this.#parts.cwd());
  }
}
