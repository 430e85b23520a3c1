const ESC = "\u001b";
export const PASTE_START = "\u001b[200~";
export const PASTE_END = "\u001b[201~";

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
/** A complete sequence: CSI, SS3, a string up to its terminator, or alt with a character. */
const SEQUENCE =
  /^(?:\u001b\[\[[A-E]|\u001b\[\d+\$|\u001b\[[0-?]*[ -/]*[@-Z\\-~]|\u001bO\d?[A-Za-z]|\u001b[\]P_^X](?:[^\u0007\u001b]|\u001b(?!\\))*(?:\u0007|\u001b\\)|\u001b[^\u001b[\]OP_^X])/u;
/** The beginning of such a sequence. */
const BEGINNING = /^\u001b(?:$|\[[0-?]*[ -/]*$|\[\[$|O\d?$|[\]P_^X])/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: escape sequences of terminals

/** Longer than any report of a terminal; anything longer is text. */
const LONGEST_SEQUENCE = 100_000;

/** Splits terminal input into keys, reports and pastes. A sequence may arrive in several reads. */
export class InputSplitter {
  #held = "";
  /** The pieces of a paste, which may be long and arrive in many reads. */
  #paste: string[] | undefined;

  /** Returns the complete parts. A paste is one part, with its brackets. */
  take(piece: string): string[] {
    const parts: string[] = [];
    let rest = this.#held + piece;
    this.#held = "";
    while (rest !== "") {
      if (this.#paste) rest = this.#continuePaste(rest, parts);
      else if (rest.startsWith(PASTE_START)) {
        this.#paste = [];
        rest = rest.slice(PASTE_START.length);
      } else if (rest.startsWith(ESC)) {
        const sequence = SEQUENCE.exec(rest)?.[0];
        if (sequence === undefined && BEGINNING.test(rest) && rest.length < LONGEST_SEQUENCE) {
          this.#held = rest;
          break;
        }
        parts.push(sequence ?? ESC);
        rest = rest.slice((sequence ?? ESC).length);
      } else {
        const next = rest.indexOf(ESC);
        const text = next === -1 ? rest : rest.slice(0, next);
        for (const character of text) parts.push(character);
        rest = rest.slice(text.length);
      }
    }
    return parts;
  }

  /** Returns whether an incomplete sequence waits for the rest. */
  get isWaiting(): boolean {
    return this.#held !== "" && !this.#paste;
  }

  /** Returns the pending input: nothing followed, so the escape was a key and not the start of a sequence. */
  flush(): string[] {
    if (this.#paste) return [];
    const held = this.#held;
    this.#held = "";
    if (held === "") return [];
    // Alt with a character that also begins sequences, such as alt+[.
    return held.length <= 2 ? [held] : [ESC, ...held.slice(1)];
  }

  #continuePaste(rest: string, parts: string[]): string {
    const paste = this.#paste ?? [];
    // The end of the paste may be cut by the end of the read.
    const tail = (paste.at(-1) ?? "").slice(1 - PASTE_END.length);
    const at = (tail + rest).indexOf(PASTE_END);
    if (at === -1) {
      paste.push(rest.length >= PASTE_END.length ? rest : `${paste.pop() ?? ""}${rest}`);
      return "";
    }
    const end = at - tail.length;
    const text = end >= 0 ? paste.join("") + rest.slice(0, end) : paste.join("").slice(0, end);
    parts.push(PASTE_START + text + PASTE_END);
    this.#paste = undefined;
    return rest.slice(end + PASTE_END.length);
  }
}
