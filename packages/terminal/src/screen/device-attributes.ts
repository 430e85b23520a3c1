// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal answers when it is asked what it is
const ANSWER = /\u001b\[\?([\d;]*)c/;
const SIXEL = "4";
/** An answer may come in pieces. */
const MAX_KEPT = 256;

/** Listens to what comes from the terminal until it has said what it is, and gives whether it draws sixel images. */
export class DeviceAttributes {
  #kept = "";
  #hasSixel: boolean | undefined;

  get hasSixel(): boolean {
    return this.#hasSixel ?? false;
  }

  /** True: the answer is complete with this piece. */
  read(piece: string): boolean {
    if (this.#hasSixel !== undefined) return false;
    this.#kept = (this.#kept + piece).slice(-MAX_KEPT);
    const attributes = ANSWER.exec(this.#kept)?.[1]?.split(";");
    // The first is the class of the terminal.
    if (attributes) this.#hasSixel = attributes.slice(1).includes(SIXEL);
    return attributes !== undefined;
  }
}
