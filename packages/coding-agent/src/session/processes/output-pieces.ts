import { PlainTextStream, UpdateThrottle } from "@pintle/exec";

/** Output as it comes, as plain text. A returned promise slows the command down. */
export type OutputListener = (text: string) => Promise<void> | undefined;

/** Some hosts read lines of a limited length. */
const PIECE_CHARACTERS = 8 * 1024;
/** Less than a piece waits this long for more, so that a chatty command does not make a frame of each write. */
const INTERVAL_MS = 100;

/** Passes a command's output on in pieces that any host can read. */
export class OutputPieces {
  readonly #listener: OutputListener;
  readonly #text = new PlainTextStream();
  readonly #throttle = new UpdateThrottle(() => this.#flush(), INTERVAL_MS);
  #waiting = "";
  #isSlow: Promise<void> | undefined;

  constructor(listener: OutputListener) {
    this.#listener = listener;
  }

  readonly onChunk = (chunk: Uint8Array): Promise<void> | undefined => {
    this.#isSlow = undefined;
    this.#waiting += this.#text.add(chunk);
    if (this.#waiting.length >= PIECE_CHARACTERS) this.#flush();
    else if (this.#waiting !== "") this.#throttle.notify();
    return this.#isSlow;
  };

  end(): void {
    this.#waiting += this.#text.end();
    this.#flush();
  }

  #flush(): void {
    this.#throttle.cancel();
    const text = this.#waiting;
    this.#waiting = "";
    for (let start = 0; start < text.length; ) {
      const end = pieceEnd(text, start);
      this.#isSlow = this.#listener(text.slice(start, end));
      start = end;
    }
  }
}

/** Never between the halves of a character. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  const isLowHalf = end < text.length && /[\uDC00-\uDFFF]/.test(text.charAt(end));
  return isLowHalf ? end - 1 : Math.min(end, text.length);
}
