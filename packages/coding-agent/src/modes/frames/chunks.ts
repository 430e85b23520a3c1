/** The longest line of protocol version 2, its LF included. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** The longest frame that is sent in chunks. */
export const MAX_REASSEMBLED_BYTES = 64 * MAX_FRAME_BYTES;

const CHUNK_BYTES = 256 * 1024;

/**
 * The lines that carry a line: itself if it is short enough, or its bytes as `rpc_chunk` frames. A line that is too long even
 * for chunks stays whole, so that nothing is lost.
 */
export function* inChunks(line: string, chunkId: string): Generator<string> {
  // A character has at most three bytes here, so most lines need no second look.
  const byteLength = line.length * 3 < MAX_FRAME_BYTES ? 0 : Buffer.byteLength(line);
  if (byteLength < MAX_FRAME_BYTES || byteLength > MAX_REASSEMBLED_BYTES) {
    yield line;
    return;
  }
  const bytes = Buffer.from(line);
  const count = Math.ceil(byteLength / CHUNK_BYTES);
  for (let index = 0; index < count; index += 1) {
    const data = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES).toString("base64");
    yield JSON.stringify({ type: "rpc_chunk", chunkId, index, count, byteLength, data });
  }
}
