const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = "\uFEFF";

/** Longer lines are discarded; reading resumes after their LF. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface LineListener {
  /** A line without its line end; never blank. */
  onLine(text: string): void;
  onOverlongLine(): void;
}

/**
 * Splits bytes into lines. Only LF ends a line, and it is searched for in the bytes: other separators are legal inside a JSON
 * string, and a character split across two chunks is decoded as a whole. Each byte is scanned once and copied at most once,
 * however many chunks a line spans.
 */
export class LineReader {
  readonly #listener: LineListener;
  readonly #maxLineBytes: number;
  // Without ignoreBOM the decoder would strip a byte order mark from every line, not only from the stream.
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

  /** Flushes the last line, which may lack its LF. */
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
