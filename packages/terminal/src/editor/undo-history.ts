import type { TextState } from "./text-buffer.ts";

const MAX_STATES = 200;

/** The kind of a change, so that typed characters are undone a word at a time. */
export type Change = "type" | "space" | "other";

/** Stores earlier states of the message. */
export class UndoHistory {
  #states: TextState[] = [];
  #last: Change = "other";

  /** Stores the state before a change. */
  store(state: TextState, change: Change): void {
    const isSameWord = change === "type" && this.#last === "type";
    this.#last = change;
    if (isSameWord) return;
    this.#states.push(state);
    if (this.#states.length > MAX_STATES) this.#states.shift();
  }

  /** Makes the next character a separate step, as after a cursor movement. */
  interrupt(): void {
    this.#last = "other";
  }

  take(): TextState | undefined {
    this.#last = "other";
    return this.#states.pop();
  }

  clear(): void {
    this.#states = [];
    this.#last = "other";
  }
}
