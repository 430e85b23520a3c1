import type { Disk } from "./disk.ts";

const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** One line without its LF. The bytes are only valid during the call. */
export type LineHandler = (bytes: Buffer, isTerminated: boolean) => void;

/**
 * Reads a file line by line, in chunks, and lets others work in between. Only LF ends a line: it cannot be a part of another
 * UTF-8 character, and U+2028 or a lone CR are ordinary text. Returns how many bytes there were.
 */
export async function readLines(disk: Disk, fd: number, onLine: LineHandler): Promise<number> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  /** The beginning of a line whose end has not come yet, in pieces: a long line is put together once. */
  let pieces: Buffer[] = [];
  let size = 0;
  for (;;) {
    const length = disk.readSync(fd, chunk, 0, chunk.length, null);
    if (length === 0) break;
    size += length;
    const bytes = chunk.subarray(0, length);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      const line = bytes.subarray(start, end);
      onLine(pieces.length === 0 ? line : Buffer.concat([...pieces, line]), true);
      pieces = [];
      start = end + 1;
    }
    if (start < length) pieces.push(Buffer.from(bytes.subarray(start)));
    await new Promise(setImmediate);
  }
  if (pieces.length > 0) onLine(Buffer.concat(pieces), false);
  return size;
}
