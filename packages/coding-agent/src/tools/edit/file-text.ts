import { isUtf8 } from "node:buffer";

/** A file decoded to a string that can be encoded to the exact same bytes. */
export interface DecodedFile {
  text: string;
  /** False if the file is not valid Unicode. Each unit of `text` is then one byte. */
  isCharacters: boolean;
  /** Converts a string from the model to the units of `text`. */
  fromModel(text: string): string;
  /** Converts a part of `text` to characters for display. */
  toShown(text: string): string;
  toBytes(text: string): Uint8Array;
}

const BINARY_SAMPLE = 8192;
const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns undefined for a binary file. The text lacks the byte order mark, which `toBytes` restores. */
export function decodeFile(bytes: Buffer): DecodedFile | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16(bytes, (body) => body);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16(bytes, (body) => Buffer.from(body).swap16());
  if (bytes.subarray(0, BINARY_SAMPLE).includes(0)) return undefined;
  const bom = bytes.subarray(0, 3).equals(UTF8_BOM) ? UTF8_BOM : Buffer.alloc(0);
  const body = bytes.subarray(bom.length);
  return isUtf8(body) ? utf8(bom, body) : singleBytes(bom, body);
}

function utf8(bom: Buffer, body: Buffer): DecodedFile {
  return {
    text: body.toString("utf8"),
    isCharacters: true,
    fromModel: (text) => text.toWellFormed(),
    toShown: (text) => text,
    toBytes: (text) => withBom(bom, Buffer.from(text)),
  };
}

/** Matches by bytes, for files in other encodings than UTF-8, so that no other byte changes. */
function singleBytes(bom: Buffer, body: Buffer): DecodedFile {
  return {
    text: body.toString("latin1"),
    isCharacters: false,
    fromModel: (text) => Buffer.from(text).toString("latin1"),
    toShown: (text) => Buffer.from(text, "latin1").toString("utf8"),
    toBytes: (text) => withBom(bom, Buffer.from(text, "latin1")),
  };
}

function utf16(bytes: Buffer, swapIfNeeded: (body: Buffer) => Buffer): DecodedFile | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const text = swapIfNeeded(bytes.subarray(2)).toString("utf16le");
  if (text.includes("\0")) return undefined;
  return {
    text,
    isCharacters: true,
    fromModel: (text) => text.toWellFormed(),
    toShown: (text) => text,
    toBytes: (text) => withBom(bytes.subarray(0, 2), swapIfNeeded(Buffer.from(text, "utf16le"))),
  };
}

function withBom(bom: Buffer, body: Buffer): Uint8Array {
  return bom.length > 0 ? Buffer.concat([bom, body]) : body;
}

/** A string with only LF line endings, and the means to restore the original. */
export interface LfText {
  text: string;
  /** Maps an offset in `text` to the original. */
  originalOffset(offset: number): number;
  /** Returns the line ending after an offset, or the last one of the text if none follows. */
  lineEnding(offset: number): "\n" | "\r\n";
}

export function toLf(original: string): LfText {
  const lines = original.includes("\r") ? original.split("\r\n") : [original];
  const text = lines.length === 1 ? original : lines.join("\n");
  const twoCharacterBreaks = breakOffsets(lines);
  const breaksBefore = (offset: number) => lowerBound(twoCharacterBreaks, offset);
  const isTwoCharacters = (offset: number) => twoCharacterBreaks[breaksBefore(offset)] === offset;
  return {
    text,
    originalOffset: (offset) => offset + breaksBefore(offset),
    lineEnding(offset) {
      const next = text.indexOf("\n", offset);
      const decisive = next === -1 ? text.lastIndexOf("\n") : next;
      return isTwoCharacters(decisive) ? "\r\n" : "\n";
    },
  };
}

/** Returns the offsets, in the LF-only text, of line endings that were CRLF. */
function breakOffsets(lines: readonly string[]): Int32Array {
  const offsets = new Int32Array(lines.length - 1);
  let offset = 0;
  for (let index = 0; index < offsets.length; index += 1) {
    offset += lines[index]!.length;
    offsets[index] = offset;
    offset += 1;
  }
  return offsets;
}

/** Counts the sorted numbers that are smaller than the value. */
export function lowerBound(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
