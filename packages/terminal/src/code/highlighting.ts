import { type Highlight, type Highlighter, languageByName, loadHighlighter } from "@pintle/highlight";
import { FenceHighlighter } from "./fence-highlighter.ts";

/** Loads the grammars when the first code block appears. */
export class Highlighting {
  #highlighter: Highlighter | undefined;
  #loading: Promise<void> | undefined;
  #hasFailed = false;

  /** Returns undefined while the grammars are loading, and if they cannot be loaded. */
  get highlight(): Highlight | undefined {
    return this.#highlighter?.highlight;
  }

  /**
   * Returns a highlighter for a new code block, which works line by line, or undefined if code in the language stays
   * plain.
   */
  fence(language: string): FenceHighlighter | undefined {
    if (!this.#highlighter || languageByName(language) === undefined) return undefined;
    return new FenceHighlighter(this.#highlighter.highlightStart, language);
  }

  /** Returns whether code in the language will be highlighted, but not yet; then `onLoaded` is called when it can be. */
  isLoading(language: string, onLoaded: () => void): boolean {
    if (this.#highlighter || this.#hasFailed || languageByName(language) === undefined) return false;
    this.load(onLoaded);
    return true;
  }

  load(onLoaded: () => void): void {
    this.#loading ??= loadHighlighter().then(
      (highlighter) => {
        this.#highlighter = highlighter;
      },
      () => {
        this.#hasFailed = true; // code stays plain
      },
    );
    void this.#loading.then(onLoaded); // never rejects
  }
}
