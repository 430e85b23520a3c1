const LF = 0x0a;
const BYTE_ORDER_MARK = "\uFEFF";
const REPLACEMENT = "\uFFFD";
const NO_BYTES = new Uint8Array(0);
const FIRST_CAPACITY = 4096;
const KEPT_CAPACITY = 1024 * 1024;

/** Longer lines are not buffered; the reader continues after their LF. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface LineListener {
  /**
   * Called with a complete line without its line end; never blank. `isDamaged`: some of its bytes were not UTF-8 and
   * are now U+FFFD.
   */
  onLine(text: string, isDamaged?: boolean): void;
  /** Called once per line above the limit, as soon as that is certain. */
  onOverlongLine(): void;
}

/**
 * Splits bytes into lines. Lines end only at LF, so they are found in the bytes: U+2028 and other separators that text
 * splitters honour are legal inside a JSON string, and a character split by a chunk is whole again in its line.
 */
export class JsonlReader {
  readonly #listener: LineListener;
  readonly #maxLineBytes: number;
  // Without ignoreBOM the decoder would swallow a mark at the start of every line, not only of the stream.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #atStreamStart = true;
  #isOverlong = false;
  /** The first `#openLength` bytes are the start of a line whose end has not arrived yet. */
  #open: Uint8Array = NO_BYTES;
  #openLength = 0;

  constructor(listener: LineListener, maxLineBytes = MAX_LINE_BYTES) {
    this.#listener = listener;
    this.#maxLineBytes = maxLineBytes;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#finishLine(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The last line may lack its LF. */
  end(): void {
    this.#finishLine(NO_BYTES);
  }

  #finishLine(rest: Uint8Array): void {
    if (this.#openLength === 0) {
      // Most lines lie within one chunk and are decoded in place.
      if (this.#fits(rest.length)) this.#deliver(rest);
    } else {
      this.#keep(rest);
      if (!this.#isOverlong) this.#deliver(this.#open.subarray(0, this.#openLength));
    }
    this.#isOverlong = false;
    this.#openLength = 0;
    // One huge line (an inline image) must not keep its memory for the rest of the session.
    if (this.#open.length > KEPT_CAPACITY) this.#open = NO_BYTES;
  }

  /**
   * Copies, because a stream may reuse its chunks. Capacity doubles, so all copies together stay linear in the line.
   */
  #keep(bytes: Uint8Array): void {
    const length = this.#openLength + bytes.length;
    if (!this.#fits(length)) return;
    if (length > this.#open.length) {
      const grown = new Uint8Array(Math.max(length, this.#open.length * 2, FIRST_CAPACITY));
      grown.set(this.#open.subarray(0, this.#openLength));
      this.#open = grown;
    }
    this.#open.set(bytes, this.#openLength);
    this.#openLength = length;
  }

  #fits(lineBytes: number): boolean {
    if (!this.#isOverlong && lineBytes > this.#maxLineBytes) {
      this.#isOverlong = true;
      this.#atStreamStart = false;
      this.#open = NO_BYTES;
      this.#openLength = 0;
      this.#listener.onOverlongLine();
    }
    return !this.#isOverlong;
  }

  #deliver(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes);
    if (this.#atStreamStart && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    this.#atStreamStart = false;
    if (text.endsWith("\r")) text = text.slice(0, -1);
    if (/\S/.test(text)) this.#listener.onLine(text, text.includes(REPLACEMENT) && !isUtf8(bytes));
  }
}

/** U+FFFD may also be what the host wrote. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
