import { isUtf8 } from "node:buffer";

/** A file's bytes as text in which every byte can be found again. */
export interface DecodedFile {
  text: string;
  /** Whether it is text in the sense of characters; otherwise each unit of it is one byte. */
  isCharacters: boolean;
  /** What a model wrote, in the units of `text`. */
  fromModel(text: string): string;
  /** A part of `text` as characters, for showing. */
  toShown(text: string): string;
  toBytes(text: string): Uint8Array;
}

const BINARY_SAMPLE = 8192;
const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Undefined for a file that is no text. The order mark at the beginning is not part of the text and comes back with toBytes. */
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

/** Not valid UTF-8, perhaps an old encoding: what the model names is found by its bytes, and no other byte changes. */
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
