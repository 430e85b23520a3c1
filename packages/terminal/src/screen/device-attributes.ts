// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal answers when it is asked what it is
const ANSWER = /\u001b\[\?([\d;]*)c/;
const SIXEL = "4";
/** Enough for a report that arrives in several reads. */
const MAX_KEPT = 256;

/** Reads the terminal's input until it has reported its attributes, and knows whether it draws sixel images. */
export class DeviceAttributes {
  #kept = "";
  #hasSixel: boolean | undefined;

  get hasSixel(): boolean {
    return this.#hasSixel ?? false;
  }

  /** Returns true if this piece completes the report. */
  read(piece: string): boolean {
    if (this.#hasSixel !== undefined) return false;
    this.#kept = (this.#kept + piece).slice(-MAX_KEPT);
    const attributes = ANSWER.exec(this.#kept)?.[1]?.split(";");
    // The first number is the class of the terminal.
    if (attributes) this.#hasSixel = attributes.slice(1).includes(SIXEL);
    return attributes !== undefined;
  }
}
