export interface ListedPath {
  path: string;
  /** The name is UTF-8; otherwise `path` is only similar to it. */
  isExact: boolean;
}

const NUL = 0;
const REPLACEMENT = "\ufffd";

/**
 * Cuts the output of `rg --files --null` into paths. A million of them may come, so they are decoded by the chunk. `take`
 * returns false when it has enough.
 */
export function readPaths(take: (listed: ListedPath) => boolean): (chunk: Uint8Array) => boolean {
  let rest: Uint8Array = new Uint8Array(0);
  return (chunk) => {
    const end = chunk.lastIndexOf(NUL);
    if (end === -1) {
      rest = Buffer.concat([rest, chunk]);
      return true;
    }
    const whole = rest.length > 0 ? Buffer.concat([rest, chunk.subarray(0, end)]) : chunk.subarray(0, end);
    rest = new Uint8Array(chunk.subarray(end + 1)); // a copy, because the chunk's memory may be used again
    return decodePaths(whole).every(take);
  };
}

function decodePaths(bytes: Uint8Array): ListedPath[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString();
  const mayBeWrong = text.includes(REPLACEMENT);
  let start = 0;
  return text.split("\0").map((path) => {
    if (!mayBeWrong) return { path, isExact: true };
    const nul = buffer.indexOf(NUL, start);
    const raw = buffer.subarray(start, nul === -1 ? undefined : nul);
    start += raw.length + 1;
    return { path, isExact: Buffer.from(path).equals(raw) };
  });
}
