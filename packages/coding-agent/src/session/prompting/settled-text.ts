export interface SettledTextParts {
  current(): string;
  /**
   * True if a changed text costs nothing: no provider has the conversation in its cache, or its head changes anyway.
   */
  mayChange(): boolean;
}

/** A part of the system prompt that may change at any time. It keeps the text that was sent while a change would cost the cache. */
export class SettledText {
  readonly #parts: SettledTextParts;
  #text = "";

  constructor(parts: SettledTextParts) {
    this.#parts = parts;
  }

  get text(): string {
    const current = this.#parts.current();
    if (current !== this.#text && this.#parts.mayChange()) this.#text = current;
    return this.#text;
  }
}
