const MAX_MESSAGES = 500;

/** Sent messages for browsing, and the draft to return to. */
export class SentMessages {
  #messages: string[] = [];
  /** How far back the shown message is; 0 is the draft. */
  #back = 0;
  #draft = "";

  get isBrowsing(): boolean {
    return this.#back > 0;
  }

  add(text: string): void {
    const message = text.trim();
    this.#back = 0;
    if (message === "" || message === this.#messages.at(-1)) return;
    this.#messages.push(message);
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
  }

  get all(): readonly string[] {
    return this.#messages;
  }

  /** Returns the message before the shown one, or undefined if there is none. */
  previous(shown: string): string | undefined {
    if (this.#back >= this.#messages.length) return undefined;
    if (this.#back === 0) this.#draft = shown;
    this.#back += 1;
    return this.#messages.at(-this.#back);
  }

  /** Returns the message after the shown one; after the newest that is the draft. */
  next(): string | undefined {
    if (this.#back === 0) return undefined;
    this.#back -= 1;
    return this.#back === 0 ? this.#draft : this.#messages.at(-this.#back);
  }

  /** Ends browsing: the shown message was edited and is the draft now. */
  leave(): void {
    this.#back = 0;
  }
}
