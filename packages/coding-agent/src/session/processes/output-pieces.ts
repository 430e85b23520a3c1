import { PlainTextStream, UpdateThrottle } from "@pintle/exec";

/** Receives output as plain text while it arrives. A returned promise slows the command down. */
export type OutputListener = (text: string) => Promise<void> | undefined;

/** The longest piece, because some hosts read lines of a limited length. */
const PIECE_CHARACTERS = 8 * 1024;
/** How long to collect output that is shorter than a piece, so that not every small write becomes a frame. */
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

/** Finds the end of a piece, never between the two halves of a character. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  const isLowHalf = end < text.length && /[\uDC00-\uDFFF]/.test(text.charAt(end));
  return isLowHalf ? end - 1 : Math.min(end, text.length);
}
