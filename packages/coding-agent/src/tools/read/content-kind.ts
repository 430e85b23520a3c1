import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { untilAborted } from "@pintle/ai";
import { type ImageType, imageTypeOf } from "@pintle/foundation";

export const SNIFFED_BYTES = 8192;

export type ContentKind =
  | { kind: "text"; encoding: "utf-8" | "utf-16le" | "utf-16be" }
  | { kind: "image"; mimeType: ImageType }
  | { kind: "binary"; mimeType: string; name: string };

interface Signature {
  /** Pattern for the beginning of the file, with one character per byte. */
  start: RegExp;
  mimeType: string;
  name: string;
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: signatures are bytes
const BINARIES: readonly Signature[] = [
  { start: /^%PDF-/, mimeType: "application/pdf", name: "PDF document" },
  { start: /^PK(?:\x03\x04|\x05\x06)/, mimeType: "application/zip", name: "zip archive" },
  { start: /^\x1f\x8b/, mimeType: "application/gzip", name: "gzip data" },
  { start: /^BZh[1-9](?:1AY&SY|\x17rE8P\x90)/, mimeType: "application/x-bzip2", name: "bzip2 data" },
  { start: /^\xfd7zXZ\0/, mimeType: "application/x-xz", name: "xz data" },
  { start: /^\x28\xb5\x2f\xfd/, mimeType: "application/zstd", name: "zstd data" },
  { start: /^7z\xbc\xaf\x27\x1c/, mimeType: "application/x-7z-compressed", name: "7z archive" },
  { start: /^.{257}ustar/s, mimeType: "application/x-tar", name: "tar archive" },
  { start: /^\x7fELF/, mimeType: "application/x-elf", name: "ELF program or library" },
  {
    start: /^(?:[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf])/,
    mimeType: "application/x-mach-binary",
    name: "Mach-O program",
  },
  { start: /^MZ.*\0/s, mimeType: "application/vnd.microsoft.portable-executable", name: "Windows program" },
  { start: /^\0asm/, mimeType: "application/wasm", name: "WebAssembly module" },
  { start: /^\xca\xfe\xba\xbe/, mimeType: "application/java-vm", name: "Java class" },
  { start: /^SQLite format 3\0/, mimeType: "application/vnd.sqlite3", name: "SQLite database" },
  { start: /^\0.{3}ftyp/s, mimeType: "video/mp4", name: "MP4 or HEIF media" },
  { start: /^OggS\0/, mimeType: "application/ogg", name: "Ogg media" },
  { start: /^ID3[\x02-\x04]\0/, mimeType: "audio/mpeg", name: "MP3 audio" },
  { start: /^RIFF.{4}WAVE/s, mimeType: "audio/wav", name: "WAV audio" },
  { start: /^wOF[F2][\0\x01]/, mimeType: "font/woff", name: "web font" },
  { start: /^BM.{4}\0{4}/s, mimeType: "image/bmp", name: "BMP image" },
  { start: /^(?:II\x2a\0|MM\0\x2a)/, mimeType: "image/tiff", name: "TIFF image" },
  { start: /^\0\0\x01\0/, mimeType: "image/x-icon", name: "icon" },
];

/** Control characters that text does not contain. Tabs, line breaks, form feeds and terminal escapes are allowed. */
const UNUSUAL_CONTROLS = /[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

const MAX_UNUSUAL_SHARE = 0.3;

/** Detects the type of a file from its first bytes, ignoring its name. */
export function sniffContent(start: Buffer): ContentKind {
  const bytes = start.toString("latin1");
  const mimeType = imageTypeOf(start);
  if (mimeType) return { kind: "image", mimeType };
  if (bytes.startsWith("\xff\xfe")) return { kind: "text", encoding: "utf-16le" };
  if (bytes.startsWith("\xfe\xff")) return { kind: "text", encoding: "utf-16be" };
  const binary = BINARIES.find((signature) => signature.start.test(bytes));
  if (binary) return { kind: "binary", mimeType: binary.mimeType, name: binary.name };
  if (looksLikeText(start, bytes)) return { kind: "text", encoding: "utf-8" };
  return { kind: "binary", mimeType: "application/octet-stream", name: "unknown data" };
}

function looksLikeText(start: Buffer, bytes: string): boolean {
  if (bytes.includes("\0")) return false;
  const controls = bytes.match(UNUSUAL_CONTROLS)?.length ?? 0;
  return controls + brokenCharacters(start) <= bytes.length * MAX_UNUSUAL_SHARE;
}

/**
 * Counts invalid characters: older encodings have a few, compressed data has many. The last character may only be cut off.
 */
function brokenCharacters(start: Buffer): number {
  if (isUtf8(start)) return 0;
  return start.toString("utf8").match(/\ufffd/g)?.length ?? 0;
}

const CHUNK_BYTES = 256 * 1024;
const BOM_BYTES = 3;

type Encoding = Extract<ContentKind, { kind: "text" }>["encoding"];

export interface TextStart {
  /** The first bytes of the file. */
  bytes: Buffer;
  encoding: Encoding;
}

/** Returns the length of the byte order mark to skip. The UTF-16 decoder removes it by itself. */
export function orderMarkBytes({ bytes, encoding }: TextStart): number {
  return encoding === "utf-8" && bytes.length >= BOM_BYTES && bytes.toString("utf8", 0, BOM_BYTES) === "\ufeff"
    ? BOM_BYTES
    : 0;
}

/** Yields the text of a file as UTF-8 without a byte order mark. A piece is valid until the next one is requested. */
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
