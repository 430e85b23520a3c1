export interface SettledTextParts {
  current(): string;
  /** Nothing is lost by another text: no provider has the conversation in its cache, or its head changes anyway. */
  mayChange(): boolean;
}

/** A part of the system prompt that others may change at any time, and that stays as it was sent while a change would cost. */
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
