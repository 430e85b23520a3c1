import type { Tool } from "@pintle/agent";
import { estimateTextTokens } from "@pintle/ai";
import type { SessionResources } from "../../resources/session-resources.ts";
import type { SystemPromptOptions } from "../../resources/system-prompt/prompt-options.ts";

export interface SessionSystemPromptParts {
  resources: SessionResources;
  cwd(): string;
  /** The tools that requests declare. The list is the same object while it holds the same tools. */
  tools(): readonly Tool[];
}

/** The system prompt of the session, and its size together with the tools. */
export class SessionSystemPrompt {
  readonly #parts: SessionSystemPromptParts;
  /** The prompt that extensions wrote for the newest run. */
  #ofRun: string | undefined;
  #counted: { built: string; tools: readonly Tool[]; tokens: number } | undefined;

  constructor(parts: SessionSystemPromptParts) {
    this.#parts = parts;
  }

  /** The text that the model receives. */
  get text(): string {
    return this.#ofRun ?? this.#built ?? "";
  }

  get isBuilt(): boolean {
    return this.#built !== undefined;
  }

  /** Builds the prompt again if it is outdated. */
  load(): Promise<string> {
    const { resources, cwd, tools } = this.#parts;
    return resources.systemPrompt(cwd(), tools());
  }

  options(): Promise<SystemPromptOptions> {
    const { resources, cwd, tools } = this.#parts;
    return resources.promptOptions(cwd(), tools());
  }

  /** Sets the prompt of one run; undefined restores the session's own. */
  setForRun(text: string | undefined): void {
    this.#ofRun = text;
  }

  /** Estimates the tokens of a request without its messages. Cached, because every `get_state` asks. */
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
