import { isUtf8 } from "node:buffer";

/** What is stored at a path: a regular file or a symbolic link. `undefined` in its place means that nothing is there. */
export interface FileState {
  type: "file" | "symlink";
  /** Permission bits. */
  mode: number;
  /** The content of a file; the target of a link. */
  bytes: Uint8Array;
}

export function isSameState(one: FileState | undefined, other: FileState | undefined): boolean {
  if (!one || !other) return one === other;
  // The mode of a link has no meaning.
  const hasSameMode = one.type === "symlink" || one.mode === other.mode;
  return one.type === other.type && hasSameMode && isSameContent(one, other);
}

export function isSameContent(one: FileState, other: FileState): boolean {
  return one.type === other.type && Buffer.compare(one.bytes, other.bytes) === 0;
}

/** Returns false for text that can be written back byte for byte: UTF-8 without NUL characters. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0) || !isUtf8(bytes);
}

// A byte order mark is part of the first line.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the text of a file, or undefined if it is binary. Encoding the text again gives the same bytes. */
export function textOf({ bytes }: FileState): string | undefined {
  return isBinary(bytes) ? undefined : decoder.decode(bytes);
}

export function encodeText(text: string): Uint8Array {
  return Buffer.from(text);
}
