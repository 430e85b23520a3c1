import type { Disk } from "@pintle/foundation";

const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** Receives one line without its LF, as bytes, which are valid only during the call, and as text. */
export type LineHandler = (bytes: Buffer, text: string, isTerminated: boolean) => void;

/**
 * Reads a file line by line, in chunks, and yields to other work in between. Only LF ends a line: it cannot be part of
 * another UTF-8 character, and U+2028 or a lone CR are ordinary text. Returns the number of bytes read.
 */
export async function readLines(disk: Disk, fd: number, onLine: LineHandler): Promise<number> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  /** The pieces of a line whose end has not been read yet; a long line is joined only once. */
  let pieces: Buffer[] = [];
  let size = 0;
  for (;;) {
    const length = disk.readSync(fd, chunk, 0, chunk.length, null);
    if (length === 0) break;
    size += length;
    const bytes = chunk.subarray(0, length);
    let start = 0;
    if (pieces.length > 0) {
      start = bytes.indexOf(LINE_FEED) + 1;
      if (start > 0) {
        const line = Buffer.concat([...pieces, bytes.subarray(0, start - 1)]);
        onLine(line, line.toString("utf8"), true);
        pieces = [];
      }
    }
    if (pieces.length === 0) start = readWholeLines(bytes, start, onLine);
    if (start < length) pieces.push(Buffer.from(bytes.subarray(start)));
    await new Promise(setImmediate);
  }
  if (pieces.length > 0) {
    const line = Buffer.concat(pieces);
    onLine(line, line.toString("utf8"), false);
  }
  return size;
}

/** Emits all lines that end in these bytes. Decodes them together, which is much faster than one by one. */
function readWholeLines(bytes: Buffer, from: number, onLine: LineHandler): number {
  const text = bytes.toString("utf8", from, bytes.lastIndexOf(LINE_FEED) + 1);
  let start = from;
  let textStart = 0;
  for (let end = bytes.indexOf(LINE_FEED, start); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
    const textEnd = text.indexOf("\n", textStart);
    onLine(bytes.subarray(start, end), text.slice(textStart, textEnd), true);
    start = end + 1;
    textStart = textEnd + 1;
  }
  return start;
}
