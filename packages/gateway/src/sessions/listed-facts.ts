const MESSAGE = '"entry":{"type":"message"';

/** Follows what a listing shows of an open session while its store does not list it: sessions without a message are not listed. */
export class ListedFacts {
  #name: string | undefined;
  #hasMessage: boolean;

  constructor({ name, isStored }: { name?: string | undefined; isStored: boolean }) {
    this.#name = name;
    this.#hasMessage = isStored;
  }

  get name(): string | undefined {
    return this.#name;
  }

  get hasMessage(): boolean {
    return this.#hasMessage;
  }

  observe(type: string, line: string): void {
    if (type === "session_info_changed") this.#name = (JSON.parse(line) as { name?: string }).name;
    else if (type === "entry_appended" && line.includes(MESSAGE)) this.#hasMessage = true;
  }
}
