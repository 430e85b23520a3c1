import { PlainTextStream } from "../../processes/output/terminal-text.ts";

/** Output as it comes, as plain text. A returned promise slows the command down. */
export type OutputListener = (text: string) => Promise<void> | undefined;

/** Some hosts read lines of a limited length. */
const PIECE_CHARACTERS = 8 * 1024;

/** Passes a command's output on in pieces that any host can read. */
export class OutputPieces {
  readonly #tell: OutputListener;
  readonly #text = new PlainTextStream();

  constructor(tell: OutputListener) {
    this.#tell = tell;
  }

  readonly onChunk = (chunk: Uint8Array): Promise<void> | undefined => this.#pass(this.#text.add(chunk));

  end(): void {
    // Only says when there is room for more, and nothing more comes.
    void this.#pass(this.#text.end());
  }

  #pass(text: string): Promise<void> | undefined {
    let isSlow: Promise<void> | undefined;
    for (let start = 0; start < text.length; ) {
      const end = pieceEnd(text, start);
      isSlow = this.#tell(text.slice(start, end));
      start = end;
    }
    return isSlow;
  }
}

/** Never between the halves of a character. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  const isLowHalf = end < text.length && /[\uDC00-\uDFFF]/.test(text.charAt(end));
  return isLowHalf ? end - 1 : Math.min(end, text.length);
}
