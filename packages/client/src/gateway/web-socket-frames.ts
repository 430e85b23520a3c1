import { randomBytes } from "node:crypto";

// RFC 6455 framing, limited to what a client needs: no extensions, text only.

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface WebSocketFrame {
  opcode: number;
  isLast: boolean;
  payload: Buffer;
}

const FIN = 0x80;
const MASKED = 0x80;
/** Longer payloads are rejected, like longer lines. */
const MAX_PAYLOAD = 256 * 1024 * 1024;

/** Encodes a frame. Clients must mask what they send. */
export function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + extra + 4);
  head[0] = FIN | opcode;
  head[1] = MASKED | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) head.writeUInt16BE(length, 2);
  if (extra === 8) head.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  mask.copy(head, 2 + extra);
  const masked = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1) masked[index] = payload[index]! ^ mask[index & 3]!;
  return Buffer.concat([head, masked]);
}

/**
 * Decodes bytes into frames. Throws if they are not valid frames. The bytes of a long frame are concatenated once, when it is
 * complete.
 */
export class FrameDecoder {
  #pieces: Buffer[] = [];
  #length = 0;
  /** The number of bytes required to make progress. */
  #needed = 2;

  *push(chunk: Buffer): Generator<WebSocketFrame> {
    this.#pieces.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= this.#needed) {
      const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#length);
      this.#pieces = [bytes];
      const head = readHead(bytes);
      this.#needed = head.end;
      if (head.length === undefined || bytes.length < head.end) continue;
      this.#pieces = [bytes.subarray(head.end)];
      this.#length = bytes.length - head.end;
      this.#needed = 2;
      const payload = bytes.subarray(head.end - head.length, head.end);
      yield { opcode: bytes[0]! & 0x0f, isLast: (bytes[0]! & FIN) !== 0, payload };
    }
  }
}

/** Joins the frames of a message. Throws if their total length is too large, even if no single frame is. */
export class MessageParts {
  readonly #most: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(most = MAX_PAYLOAD) {
    this.#most = most;
  }

  /** Returns the whole message once its last frame is added. */
  add({ payload, isLast }: WebSocketFrame): Buffer | undefined {
    this.#length += payload.length;
    if (this.#length > this.#most) throw new Error("A message from the server is too long");
    this.#parts.push(payload);
    if (!isLast) return undefined;
    const message = Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return message;
  }
}

/** Reads the header. `end` is the number of bytes needed: first to know the length, then for the whole frame. */
function readHead(bytes: Buffer): { end: number; length?: number } {
  if ((bytes[0]! & 0x70) !== 0) throw new Error("The server uses a WebSocket extension that was not negotiated");
  const short = bytes[1]!;
  if ((short & MASKED) !== 0) throw new Error("The server masked a frame, which only clients may do");
  const start = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
  if (bytes.length < start) return { end: start };
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (length > MAX_PAYLOAD) throw new Error("A frame from the server is too long");
  return { end: start + length, length };
}
