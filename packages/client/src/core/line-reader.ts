const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = "\uFEFF";

/** Longer lines are not collected; reading goes on behind their LF. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface LineListener {
  /** A line without its line end; never blank. */
  onLine(text: string): void;
  onOverlongLine(): void;
}

/**
 * Bytes in, lines out. Only LF ends a line, and it is looked for in the bytes: other separators are legal inside a JSON
 * string, and a character that two chunks share is whole again in its line. Every byte is looked at once and copied at
 * most once, however many chunks a line has.
 */
export class LineReader {
  readonly #listener: LineListener;
  readonly #maxLineBytes: number;
  // Without ignoreBOM the decoder would swallow a mark at the start of every line, not only of the stream.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isOverlong = false;
  #isAtStart = true;

  constructor(listener: LineListener, maxLineBytes = MAX_LINE_BYTES) {
    this.#listener = listener;
    this.#maxLineBytes = maxLineBytes;
  }

  push(chunk: Uint8Array | string): void {
    const bytes = typeof chunk === "string" ? this.#encoder.encode(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      this.#keep(bytes.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    this.#keep(bytes.subarray(start));
  }

  /** The last line may lack its LF. */
  end(): void {
    this.#finishLine();
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#isOverlong) return;
    this.#length += bytes.length;
    if (this.#length <= this.#maxLineBytes) this.#pieces.push(bytes);
    else {
      this.#isOverlong = true;
      this.#pieces = [];
    }
  }

  #finishLine(): void {
    const pieces = this.#pieces;
    const length = this.#length;
    const isOverlong = this.#isOverlong;
    this.#pieces = [];
    this.#length = 0;
    this.#isOverlong = false;
    if (isOverlong) this.#listener.onOverlongLine();
    else if (length > 0) this.#deliver(pieces.length === 1 ? pieces[0]! : joined(pieces, length));
  }

  #deliver(line: Uint8Array): void {
    const end = line.at(-1) === CR ? line.length - 1 : line.length;
    let text = this.#decoder.decode(end === line.length ? line : line.subarray(0, end));
    if (this.#isAtStart) {
      this.#isAtStart = false;
      if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    }
    if (text.trim() !== "") this.#listener.onLine(text);
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
