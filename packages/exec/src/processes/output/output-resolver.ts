import { TerminalScreen } from "./terminal-screen.ts";
import { withoutStillSequences } from "./terminal-text.ts";

const ESCAPE = 0x1b;
const CARRIAGE_RETURN = 0x0d;
const BACKSPACE = 0x08;
const NEWLINE = 0x0a;

/** What a cursor that moves up may still change: the last rows, up to this size. */
const HELD_LINES = 31;
const HELD_BYTES = 8192;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what moves
const MOVES = /[\r\b\x1b]/;

/**
 * Reduces raw output to what a terminal would finally show, such as the last state of a progress bar. Most output moves no cursor
 * and passes through as bytes; only output that overwrites something goes through a screen.
 */
export class OutputResolver {
  readonly #settle: (bytes: Uint8Array) => void;
  /** The end of the output, while no cursor has moved. */
  #held: Buffer = Buffer.alloc(0);
  #screen: TerminalScreen | undefined;
  /** A character and an escape sequence that are split across chunks. */
  #cut: Buffer = Buffer.alloc(0);
  #open = "";

  /**
   * `settle` receives what can no longer change, in order. The bytes may still contain control characters that move
   * nothing.
   */
  constructor(settle: (bytes: Uint8Array) => void) {
    this.#settle = settle;
  }

  add(chunk: Uint8Array): void {
    const isStill = this.#open === "" && !hasMoves(chunk);
    if (isStill && this.#screen?.isAtEnd && this.#cut.length === 0) this.#leaveScreen();
    if (isStill && !this.#screen) this.#pass(chunk);
    else this.#read(chunk);
  }

  /** Returns what has arrived and is not settled. */
  pending(): Buffer {
    return this.#screen ? Buffer.from(this.#screen.text({ hasEnd: true })) : this.#held;
  }

  /** Settles the rest. */
  end(): void {
    const rest = Buffer.concat([this.pending(), this.#cut]);
    this.#screen = undefined;
    this.#held = Buffer.alloc(0);
    this.#cut = Buffer.alloc(0);
    this.#open = "";
    if (rest.length > 0) this.#settle(rest);
  }

  #read(chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#screen ? this.#cut : this.#takeCutOfHeld(), chunk]);
    const cutAt = bytes.length - cutCharacterBytes(bytes);
    this.#cut = bytes.subarray(cutAt);
    const { text, open } = withoutStillSequences(this.#open + bytes.toString("utf8", 0, cutAt));
    this.#open = open;
    if (!this.#screen && !MOVES.test(text)) {
      this.#pass(Buffer.concat([Buffer.from(text), this.#cut]));
      this.#cut = Buffer.alloc(0);
      return;
    }
    this.#enterScreen().write(text);
  }

  #enterScreen(): TerminalScreen {
    if (this.#screen) return this.#screen;
    this.#screen = new TerminalScreen((text) => this.#settle(Buffer.from(text)));
    this.#screen.write(this.#held.toString());
    this.#held = Buffer.alloc(0);
    return this.#screen;
  }

  #leaveScreen(): void {
    const text = this.#screen?.text({ hasEnd: false }) ?? "";
    this.#screen = undefined;
    this.#pass(Buffer.from(text));
  }

  #pass(chunk: Uint8Array): void {
    const isLong = chunk.length >= HELD_BYTES;
    if (isLong && this.#held.length > 0) this.#settle(this.#held);
    const bytes = isLong ? bufferOf(chunk) : Buffer.concat([this.#held, chunk]);
    const start = startOfHeld(bytes);
    if (start > 0) this.#settle(bytes.subarray(0, start));
    this.#held = Buffer.from(bytes.subarray(start)); // copy, so that a few lines do not keep a large chunk in memory
  }

  #takeCutOfHeld(): Buffer {
    const at = this.#held.length - cutCharacterBytes(this.#held);
    const cut = this.#held.subarray(at);
    this.#held = this.#held.subarray(0, at);
    return cut;
  }
}

function hasMoves(chunk: Uint8Array): boolean {
  return chunk.includes(ESCAPE) || chunk.includes(CARRIAGE_RETURN) || chunk.includes(BACKSPACE);
}

function startOfHeld(bytes: Buffer): number {
  let start = Math.max(0, bytes.length - HELD_BYTES);
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start += 1;
  let lineStart = bytes.length;
  for (let line = 0; line <= HELD_LINES; line += 1) {
    if (lineStart <= start + 1) return start;
    lineStart = bytes.lastIndexOf(NEWLINE, lineStart - 2) + 1;
  }
  return Math.max(start, lineStart);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Returns how many bytes at the end are the start of a UTF-8 character whose rest may still arrive. */
function cutCharacterBytes(bytes: Uint8Array): number {
  for (let count = 1; count <= 3 && count <= bytes.length; count += 1) {
    const byte = bytes[bytes.length - count]!;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (!isContinuation) return count < lengthFrom(byte) ? count : 0;
  }
  return 0;
}

/** Returns the length of the character that starts with this byte. */
function lengthFrom(first: number): number {
  if (first >= 0xf0) return first < 0xf8 ? 4 : 1;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
