const MESSAGE = '"entry":{"type":"message"';

/** Collects what a listing shows of an open session that its store does not list, because it has no message yet. */
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
