import { shortLine } from "./result-text.ts";

const MAX_SHOWN = 20;

/** Collects files and patterns that could not be parsed, each reason once. */
export class ParseIssues {
  readonly #texts = new Set<string>();

  add(subject: string, reason: string): void {
    this.#texts.add(`${shortLine(subject)}: ${reason}`);
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  details(): { parseErrors?: string[]; parseErrorsTotal?: number } {
    return this.isEmpty ? {} : { parseErrors: this.#shown(), parseErrorsTotal: this.#texts.size };
  }

  /** Returns a block for the model, or an empty string if there are no issues. */
  toText(): string {
    if (this.isEmpty) return "";
    const total = this.#texts.size;
    const heading = total > MAX_SHOWN ? `Parse issues (${MAX_SHOWN} / ${total}):` : "Parse issues:";
    return [heading, ...this.#shown().map((text) => `- ${text}`)].join("\n");
  }

  #shown(): string[] {
    return [...this.#texts].slice(0, MAX_SHOWN);
  }
}
