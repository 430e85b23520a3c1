import type { FileHandle } from "node:fs/promises";
import { untilAborted } from "@pintle/ai";
import type { ContentKind } from "./content-kind.ts";

const CHUNK_BYTES = 256 * 1024;
const BOM_BYTES = 3;

type Encoding = Extract<ContentKind, { kind: "text" }>["encoding"];

export interface TextStart {
  /** The first bytes of the file. */
  bytes: Buffer;
  encoding: Encoding;
}

/** How many bytes at the beginning are an order mark and no text; the decoder for UTF-16 takes its own away. */
export function orderMarkBytes({ bytes, encoding }: TextStart): number {
  return encoding === "utf-8" && bytes.length >= BOM_BYTES && bytes.toString("utf8", 0, BOM_BYTES) === "\ufeff"
    ? BOM_BYTES
    : 0;
}

/** The text of a file as UTF-8, piece by piece, without an order mark. A piece is valid until the next is asked for. */
export async function* utf8Chunks(handle: FileHandle, start: TextStart, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks = rawChunks(handle, orderMarkBytes(start), signal);
  if (start.encoding === "utf-8") {
    yield* chunks;
    return;
  }
  const decoder = new TextDecoder(start.encoding);
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* rawChunks(handle: FileHandle, from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = from; ; ) {
    const { bytesRead } = await untilAborted(handle.read(buffer, 0, buffer.length, position), signal);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
