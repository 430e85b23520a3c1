import { open } from "node:fs/promises";
import { OutputSpill, PlainTextStream, type SpillTarget } from "@pintle/exec";
import { OutputResolver } from "@pintle/exec/processes";

/** How much of the end of a running job's output stays in memory. */
const MEMORY_BYTES = 256 * 1024;
/** How much output of an ended job stays in memory: enough for its report, because the file has the rest. */
const ENDED_BYTES = 64 * 1024;
/** Maximum length of a character in UTF-8. */
const MAX_CHARACTER_BYTES = 4;

/** A part of a job's output, as plain text. */
export interface OutputPart {
  text: string;
  /** Where the text begins. */
  fromByte: number;
  nextByte: number;
  /** Whether the requested byte was beyond the end, so that the text begins at the start. */
  reset: boolean;
  /** Whether output between the requested byte and `fromByte` was not kept. */
  truncated: boolean;
}

/**
 * Keeps the output of a command as plain text: the end in memory and, once `store` is called, all of it in a file, up to the
 * file's limit.
 */
export class JobOutput {
  readonly #text = new PlainTextStream();
  readonly #target: SpillTarget | undefined;
  #spill: OutputSpill | undefined;
  /** Where the file begins. */
  #fileStart = 0;
  #end: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #path: string | undefined;

  constructor(target: SpillTarget | undefined) {
    this.#target = target;
  }

  /** Writes what is in memory and everything that follows to a file. */
  store(): void {
    if (this.#spill || !this.#target) return;
    this.#spill = new OutputSpill(this.#target);
    this.#fileStart = this.#bytes - this.#end.length;
    void this.#spill.write(Buffer.from(this.#end)); // never rejects: `close` finds no path after a failure
  }

  /** The number of bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The file that has the output, once there is one. */
  get path(): string | undefined {
    return this.#path ?? this.#spill?.path;
  }

  /** Adds what the command wrote. If it returns a promise, await it before adding more. */
  append(chunk: Uint8Array): Promise<void> | undefined {
    return this.#add(this.#text.add(chunk));
  }

  /** Closes the file. Nothing may be added afterwards. */
  async close(): Promise<void> {
    void this.#add(this.#text.end()); // never rejects, and the file is awaited next
    const stored = await this.#spill?.finish();
    this.#path = stored?.path;
    if (this.#path !== undefined) this.#keepEnd(ENDED_BYTES);
  }

  /** Returns the end of the output, with a note if its beginning is missing. */
  tail(maxChars: number): string {
    const bytes = wholeCharacters(this.#end.subarray(-maxChars * MAX_CHARACTER_BYTES));
    const isWhole = bytes.length === this.#bytes;
    const text = asShown(bytes);
    const kept = text.slice(-maxChars).toWellFormed();
    return isWhole && kept.length === text.length ? kept : `[The beginning is omitted.]\n${kept}`;
  }

  /** Returns output from a byte on. */
  async read(requested: number, limit: number): Promise<OutputPart> {
    const maxBytes = Math.max(limit, MAX_CHARACTER_BYTES); // otherwise a reader could get stuck at a character
    const reset = requested > this.#bytes;
    const start = reset ? 0 : requested;
    const inMemory = this.#bytes - this.#end.length;
    if (start < inMemory) {
      const stored = await this.#readFile(start, Math.min(maxBytes, inMemory - start));
      if (stored.length > 0) return part(stored, start, { reset, truncated: false });
    }
    const from = Math.max(start, inMemory);
    const bytes = this.#end.subarray(from - inMemory, from - inMemory + maxBytes);
    return part(bytes, from, { reset, truncated: from > start });
  }

  #add(text: string): Promise<void> | undefined {
    if (text === "") return undefined;
    const bytes = Buffer.from(text);
    this.#bytes += bytes.length;
    this.#end = Buffer.concat([this.#end, bytes]);
    // Not for every chunk, because copying the end each time would be too expensive.
    if (this.#end.length > 2 * MEMORY_BYTES) this.#keepEnd(MEMORY_BYTES);
    return this.#spill?.write(bytes);
  }

  #keepEnd(maxBytes: number): void {
    if (this.#end.length > maxBytes) this.#end = Buffer.from(wholeCharacters(this.#end.subarray(-maxBytes)));
  }

  /** Returns an empty buffer if the file does not contain that part yet. */
  async #readFile(start: number, length: number): Promise<Buffer> {
    const path = this.path;
    const offset = start - this.#fileStart;
    const available = Math.min(length, (this.#target?.maxBytes ?? 0) - offset);
    if (path === undefined || offset < 0 || available <= 0) return Buffer.alloc(0);
    try {
      await using file = await open(path);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(available), 0, available, offset);
      return buffer.subarray(0, bytesRead);
    } catch {
      return Buffer.alloc(0); // the file was removed or cannot be read: memory has the end
    }
  }
}

/** Returns what a terminal would finally show: for a progress bar, for example, its last state. */
function asShown(bytes: Buffer): string {
  const settled: Uint8Array[] = [];
  const resolver = new OutputResolver((part) => settled.push(Buffer.from(part)));
  resolver.add(bytes);
  resolver.end();
  return Buffer.concat(settled).toString();
}

/** Skips bytes at the start that belong to a character which began earlier. */
function wholeCharacters(bytes: Buffer): Buffer {
  let start = 0;
  while (start < MAX_CHARACTER_BYTES - 1 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Returns text that ends with a whole character, so that the next part begins with one. */
function part(bytes: Buffer, start: number, flags: Pick<OutputPart, "reset" | "truncated">): OutputPart {
  const begun = wholeCharacters(bytes);
  const fromByte = start + bytes.length - begun.length;
  const whole = begun.subarray(0, lengthOfWholeCharacters(begun));
  return { text: whole.toString(), fromByte, nextByte: fromByte + whole.length, ...flags };
}

function lengthOfWholeCharacters(bytes: Buffer): number {
  let last = bytes.length - 1;
  while (last > 0 && isContinuation(bytes[last])) last -= 1;
  const first = bytes[last] ?? 0;
  const needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return last + needed <= bytes.length ? bytes.length : last;
}
