import { lstat } from "node:fs/promises";
import { isSystemError, openRegularFile, PathExchangedError } from "@pintle/foundation";

const MAX_SOURCE_BYTES = 2 * 1024 * 1024;

export interface SourceFile {
  bytes: Uint8Array;
  /** Without the byte order mark, which some grammars do not accept. */
  text: string;
  hasByteOrderMark: boolean;
}

const BYTE_ORDER_MARK = "\uFEFF";
// Fatal, because replacement characters could not be written back as the original bytes.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns undefined if the file is not text, or a string with the reason if a text file cannot be searched. */
export async function readSource(path: string): Promise<SourceFile | string | undefined> {
  let bytes: Uint8Array;
  try {
    const { size, isFile } = await kindOf(path);
    if (!isFile || size > MAX_SOURCE_BYTES) return undefined;
    bytes = await readExactly(path);
  } catch (error) {
    if (error instanceof PathExchangedError) return undefined;
    if (!isSystemError(error)) throw error;
    return error.code === "ENOENT" ? undefined : `cannot be read (${error.code})`;
  }
  if (bytes.length > MAX_SOURCE_BYTES || bytes.includes(0)) return undefined;
  return decodeSource(bytes) ?? "is not UTF-8";
}

/**
 * Opens without following links: the search found the file below a readable directory, and a directory replaced by a link
 * must not lead elsewhere.
 */
async function readExactly(path: string): Promise<Uint8Array> {
  const opened = await openRegularFile(path, path);
  if ("special" in opened) return new Uint8Array(1); // replaced in the meantime by something that is not text
  try {
    return await opened.handle.readFile();
  } finally {
    await opened.handle.close();
  }
}

async function kindOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const info = await lstat(path);
  return { size: info.size, isFile: info.isFile() };
}

function decodeSource(bytes: Uint8Array): SourceFile | undefined {
  let decoded: string;
  try {
    decoded = decoder.decode(bytes);
  } catch {
    return undefined;
  }
  const hasByteOrderMark = decoded.startsWith(BYTE_ORDER_MARK);
  return { bytes, text: hasByteOrderMark ? decoded.slice(1) : decoded, hasByteOrderMark };
}

export function encodeSource(text: string, hasByteOrderMark: boolean): Uint8Array {
  return Buffer.from(hasByteOrderMark ? BYTE_ORDER_MARK + text : text);
}

/** Returns the white space at the start of the line. */
export function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  let end = lineStart;
  while (end < offset && (text[end] === " " || text[end] === "\t")) end += 1;
  return text.slice(lineStart, end);
}

/** Returns the file's line ending, judged by its first line. */
export function lineBreakOf(text: string): string {
  const first = text.indexOf("\n");
  return first > 0 && text[first - 1] === "\r" ? "\r\n" : "\n";
}
