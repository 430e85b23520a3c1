import type { Socket } from "node:net";
import type { Framing } from "./request-head.ts";
import { BadRequest, type SocketBytes } from "./socket-bytes.ts";

const PIECE_BYTES = 64 * 1024;
const MAX_SIZE_LINE = 256;
const MAX_TRAILERS = 8 * 1024;

/** Sends exactly the body of one request to a server. What the client sends after it is never forwarded. Throws BadRequest. */
export async function forwardBody(framing: Framing, client: SocketBytes, server: Socket): Promise<void> {
  if (framing.kind === "length") await forward(framing.bytes, client, server);
  else await forwardChunks(client, server);
}

async function forwardChunks(client: SocketBytes, server: Socket): Promise<void> {
  for (;;) {
    const size = readSize(await client.takeThrough("\r\n", MAX_SIZE_LINE, badChunk()));
    if (size === 0) break;
    await send(`${size.toString(16)}\r\n`, server);
    await forward(size, client, server);
    if ((await client.take(2)).toString("latin1") !== "\r\n") throw badChunk();
    await send("\r\n", server);
  }
  // Trailers are dropped: they could add a header that the check of the request's head rejects.
  for (let taken = 0; ; ) {
    const line = await client.takeThrough("\r\n", MAX_TRAILERS - taken, badChunk());
    if (line.length === 2) break;
    taken += line.length;
  }
  await send("0\r\n\r\n", server);
}

/** Chunk extensions are dropped. */
function readSize(line: Buffer): number {
  const [, digits] = /^([0-9a-f]{1,8})[ \t]*(?:;[\t\x20-\x7e]*)?\r\n$/i.exec(line.toString("latin1")) ?? [];
  if (digits === undefined) throw badChunk();
  return Number.parseInt(digits, 16);
}

async function forward(bytes: number, client: SocketBytes, server: Socket): Promise<void> {
  for (let left = bytes; left > 0; ) {
    const piece = await client.takeUpTo(Math.min(left, PIECE_BYTES));
    left -= piece.length;
    await send(piece, server);
  }
}

/** Resolves when the server can accept more. */
function send(data: Buffer | string, server: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    server.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

const badChunk = () => new BadRequest(400, "a chunk of the body is malformed");
