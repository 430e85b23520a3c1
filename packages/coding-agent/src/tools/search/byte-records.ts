/** A record that is too long is given by its beginning, and `size` tells how long it was. */
export interface ByteRecord {
  bytes: Uint8Array;
  size: number;
}

export interface RecordReader {
  delimiter: number;
  /** More of a record is not kept. */
  maxBytes: number;
  /** False: enough, nothing more is handed over. The bytes are valid during the call only. */
  take(record: ByteRecord): boolean;
  /** Gets all of a record that is too long, piece by piece, before `take` gets its beginning. */
  onLongRecord?(piece: Uint8Array): void;
}

/** Cuts a stream of bytes into records. Memory stays near the limit, however long a record is. */
export class ByteRecords {
  readonly #reader: RecordReader;
  #pieces: Uint8Array[] = [];
  #kept = 0;
  #size = 0;

  constructor(reader: RecordReader) {
    this.#reader = reader;
  }

  /** False: the reader has enough. A record without a delimiter at its end was cut off and is not handed over. */
  append(chunk: Uint8Array): boolean {
    const { delimiter } = this.#reader;
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end !== -1; end = chunk.indexOf(delimiter, start)) {
      if (!this.#end(chunk.subarray(start, end))) return false;
      start = end + 1;
    }
    // A copy, because the chunk's memory may be used again.
    if (start < chunk.length) this.#keep(new Uint8Array(chunk.subarray(start)));
    return true;
  }

  #end(last: Uint8Array): boolean {
    const { take, maxBytes } = this.#reader;
    if (this.#size === 0 && last.length <= maxBytes) return take({ bytes: last, size: last.length });
    this.#keep(last);
    const record = { bytes: Buffer.concat(this.#pieces), size: this.#size };
    this.#pieces = [];
    this.#kept = 0;
    this.#size = 0;
    return take(record);
  }

  #keep(piece: Uint8Array): void {
    const { maxBytes } = this.#reader;
    const wasLong = this.#size > maxBytes;
    this.#size += piece.length;
    if (this.#size > maxBytes) this.#handOverLong(wasLong ? [piece] : [...this.#pieces, piece]);
    const kept = piece.subarray(0, maxBytes - this.#kept);
    if (kept.length > 0) this.#pieces.push(kept);
    this.#kept += kept.length;
  }

  #handOverLong(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.#reader.onLongRecord?.(piece);
  }
}
