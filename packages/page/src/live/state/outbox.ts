import { Cell, type ReadonlyCell } from "./cell.ts";

/** A message of this page that the server has not confirmed yet. */
export interface OutgoingMessage {
  readonly text: string;
}

/**
 * Messages on their way to the server. While the connection is lost, they stay visible instead of vanishing from the field.
 */
export class Outbox {
  readonly #messages = new Cell<readonly OutgoingMessage[]>([]);

  get messages(): ReadonlyCell<readonly OutgoingMessage[]> {
    return this.#messages;
  }

  /** Lists the message until `send` settles, and settles like it. */
  async deliver<T>(text: string, send: () => Promise<T>): Promise<T> {
    const message = { text };
    this.#messages.set([...this.#messages.value, message]);
    try {
      return await send();
    } finally {
      this.#messages.set(this.#messages.value.filter((other) => other !== message));
    }
  }
}
