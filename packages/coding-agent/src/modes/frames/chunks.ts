/** Maximum length of a line in protocol version 2, including its LF. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** Maximum length of a frame that is sent in chunks. */
export const MAX_REASSEMBLED_BYTES = 64 * MAX_FRAME_BYTES;

const CHUNK_BYTES = 256 * 1024;

/**
 * Returns the lines that transmit a line: the line itself if it is short enough, otherwise its bytes as `rpc_chunk` frames.
 * A line that is too long even for chunks is sent whole, so that nothing is lost.
 */
export function* inChunks(line: string, chunkId: string): Generator<string> {
  // A UTF-16 unit has at most three bytes, so most lines are known to be short enough.
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
