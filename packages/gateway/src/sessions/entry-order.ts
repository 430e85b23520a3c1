/**
 * Puts the stored entry of a message before its `message_end`. A worker tells both together, the end first; a host that is told
 * of the end is also told how far it has seen the session, and that includes the entry.
 */
export class EntryOrder {
  readonly #pass: (type: string, line: string) => void;
  #end: string | undefined;

  constructor(pass: (type: string, line: string) => void) {
    this.#pass = pass;
  }

  push(type: string, line: string): void {
    if (this.#end !== undefined && type === "entry_appended") {
      this.#pass(type, line);
      this.flush();
      return;
    }
    this.flush();
    if (type === "message_end") this.#end = line;
    else this.#pass(type, line);
  }

  /** Nothing can follow: something else came, or the worker is gone. */
  flush(): void {
    const end = this.#end;
    if (end === undefined) return;
    this.#end = undefined;
    this.#pass("message_end", end);
  }
}
