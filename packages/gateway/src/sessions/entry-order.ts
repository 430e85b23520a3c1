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

  /** The worker died: whether the message was stored, the next one tells. */
  drop(): void {
    this.#end = undefined;
  }

  /** Nothing of it can follow: something else came, or the worker has ended. */
  flush(): void {
    const end = this.#end;
    if (end === undefined) return;
    this.#end = undefined;
    this.#pass("message_end", end);
  }
}
