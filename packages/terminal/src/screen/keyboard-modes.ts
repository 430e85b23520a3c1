const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";
/** Kitty's protocol: unambiguous keys (1), and the shifted and Latin equivalents of a key (4). */
const KITTY_ON = "\u001b[>5u";
const KITTY_OFF = "\u001b[<u";
const ASK_KITTY = "\u001b[?u";
/** Every terminal answers this query. If it answers this one first, it does not support kitty's protocol. */
const ASK_ATTRIBUTES = "\u001b[c";
const OTHER_KEYS_ON = "\u001b[>4;2m";
const OTHER_KEYS_OFF = "\u001b[>4;0m";

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: answers of terminals
const KITTY_ANSWER = /^\u001b\[\?(\d+)u$/;
const ATTRIBUTES_ANSWER = /^\u001b\[\?[\d;]*c$/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: answers of terminals

/**
 * Asks the terminal for brackets around pastes and for unambiguous keys: with kitty's protocol, or with xterm's
 * modifyOtherKeys in terminals that do not support it.
 */
export class KeyboardModes {
  readonly #write: (sequence: string) => void;
  #isKitty = false;
  #hasOtherKeys = false;

  constructor(write: (sequence: string) => void) {
    this.#write = write;
  }

  start(): void {
    this.#isKitty = false;
    this.#write(PASTE_ON + KITTY_ON + ASK_KITTY + ASK_ATTRIBUTES);
  }

  stop(): void {
    this.#write(PASTE_OFF + KITTY_OFF + (this.#hasOtherKeys ? OTHER_KEYS_OFF : ""));
    this.#hasOtherKeys = false;
  }

  /** Returns true if the input was an answer to the queries of `start`. */
  takeReport(data: string): boolean {
    const flags = KITTY_ANSWER.exec(data)?.[1];
    if (flags !== undefined) {
      this.#isKitty = flags !== "0";
      return true;
    }
    if (!ATTRIBUTES_ANSWER.test(data)) return false;
    if (!this.#isKitty && !this.#hasOtherKeys) {
      this.#hasOtherKeys = true;
      this.#write(OTHER_KEYS_ON);
    }
    return true;
  }
}
