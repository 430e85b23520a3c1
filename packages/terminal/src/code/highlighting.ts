import { type Highlight, languageByName, loadHighlighter } from "@pintle/highlight";

/** Loads the grammars when the first code block appears. */
export class Highlighting {
  #highlight: Highlight | undefined;
  #loading: Promise<void> | undefined;
  #hasFailed = false;

  /** Returns undefined while the grammars are loading, and if they cannot be loaded. */
  get highlight(): Highlight | undefined {
    return this.#highlight;
  }

  /** Returns whether code in the language will be highlighted, but not yet; then `onLoaded` is called when it can be. */
  isLoading(language: string, onLoaded: () => void): boolean {
    if (this.#highlight || this.#hasFailed || languageByName(language) === undefined) return false;
    this.load(onLoaded);
    return true;
  }

  load(onLoaded: () => void): void {
    this.#loading ??= loadHighlighter().then(
      (highlight) => {
        this.#highlight = highlight;
      },
      () => {
        this.#hasFailed = true; // code stays plain
      },
    );
    void this.#loading.then(onLoaded); // never rejects
  }
}
