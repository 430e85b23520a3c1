// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this is about
/**
 * Escape sequences of terminals: CSI (colours, cursor), strings up to their terminator (titles, links), two-character ones.
 * A sequence that is cut off ends at the line's end at the latest, so that a stray ESC cannot swallow what follows. The
 * one-character forms above U+0080 are left out: they are common in wrongly decoded text and rare in output.
 */
const ESCAPE_SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?/g;
/** The same without those that move the cursor in what is there, or erase some of it. */
const STILL_SEQUENCE =
  /\x1b(?!\[[0-9;]*[A-GK]|\[0?J)(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g;
const TO_LINE_START = /\x1b\[[01]?G/g;
/** Tried once per run of carriage returns: to try it at each of them would take the square of their number. */
const LINE_END_OF_WINDOWS = /(?<!\r)\r+\n/g;
const CONTROL_CHARACTER = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** The beginning of one at the end of a text. */
const OPEN_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)$/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

export interface TailLimits {
  maxLines: number;
  maxBytes: number;
}

export interface TailText {
  text: string;
  lines: number;
  /** In UTF-8. */
  bytes: number;
  isCut: boolean;
}

export interface RawEnds {
  /** The first byte is the first that was written. */
  hasStart: boolean;
  /** No more will come, so that an unfinished character at the end is a broken one. */
  hasEnd: boolean;
}

/** Text as a model or host may see it: of the control characters only newline and tab are left. */
export function toPlainText(raw: Uint8Array, { hasStart, hasEnd }: RawEnds): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = decoder.decode(hasStart ? raw : afterCutCharacter(raw), { stream: !hasEnd });
  return stripControls(text);
}

function stripControls(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, "").replace(CONTROL_CHARACTER, "");
}

/** Leaves of the escape sequences only those that change what was written before; and the one that is not complete yet. */
export function withoutStillSequences(text: string): { text: string; open: string } {
  const open = openSequence(text);
  const whole = open === "" ? text : text.slice(0, -open.length);
  return { text: whole.replace(STILL_SEQUENCE, "").replace(LINE_END_OF_WINDOWS, "\n"), open };
}

/** What a sequence may be that is still open; a longer one is none. */
const MAX_OPEN_CHARACTERS = 4096;

function openSequence(text: string): string {
  return OPEN_SEQUENCE.exec(text.slice(-MAX_OPEN_CHARACTERS))?.[0] ?? "";
}

/**
 * The same for output that is told as it comes: what a chunk cuts in two is kept for the next one. What was told cannot be
 * taken back, so a carriage return stays: the line is written anew.
 */
export class PlainTextStream {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #open = "";

  add(chunk: Uint8Array): string {
    const text = this.#open + this.#decoder.decode(chunk, { stream: true });
    this.#open = openSequence(text) || openLineEnd(text);
    return stripButReturns(text.slice(0, text.length - this.#open.length));
  }

  /** What is left when no more will come. */
  end(): string {
    const text = this.#open + this.#decoder.decode();
    this.#open = "";
    return stripButReturns(text.replace(/\r+$/, ""));
  }
}

/** One more newline makes of it the end of a line. */
function openLineEnd(text: string): string {
  return text.endsWith("\r") ? "\r" : "";
}

function stripButReturns(text: string): string {
  if (!text.includes("\r") && !text.includes("\x1b")) return stripControls(text);
  const lines = text.replace(TO_LINE_START, "\r").replace(LINE_END_OF_WINDOWS, "\n");
  return lines.split(/\r+/).map(stripControls).join("\r");
}

/** The end of a text. Begins with a whole line, unless lines are so long that this would lose most of what fits. */
export function keepTail(text: string, { maxLines, maxBytes }: TailLimits): TailText {
  const all = Buffer.from(text);
  const start = Math.max(startOfLastLines(all, maxLines), startOfLastBytes(all, maxBytes));
  const kept = all.subarray(start);
  return { text: kept.toString(), lines: countLines(kept), bytes: kept.length, isCut: start > 0 };
}

function startOfLastLines(text: Buffer, maxLines: number): number {
  if (maxLines <= 0) return text.length;
  // The newline at the end of the text ends a line, it does not begin one.
  let newline = text.length - 1;
  for (let line = 0; line < maxLines; line += 1) {
    if (newline <= 0) return 0;
    newline = text.lastIndexOf("\n", newline - 1);
  }
  return newline + 1;
}

function startOfLastBytes(text: Buffer, maxBytes: number): number {
  if (text.length <= maxBytes) return 0;
  let start = Math.max(0, text.length - maxBytes);
  while (start < text.length && isContinuation(text[start]!)) start += 1;
  const nextLine = text[start - 1] === 0x0a ? start : text.indexOf("\n", start) + 1;
  const isWorthIt = nextLine > 0 && text.length - nextLine >= maxBytes / 2;
  return isWorthIt ? nextLine : start;
}

function countLines(text: Buffer): number {
  let lines = 0;
  for (let at = 0; at < text.length; lines += 1) {
    const newline = text.indexOf("\n", at);
    at = newline === -1 ? text.length : newline + 1;
  }
  return lines;
}

/** The bytes of a character whose beginning is lost would become replacement characters. */
function afterCutCharacter(raw: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < raw.length && isContinuation(raw[start]!)) start += 1;
  return raw.subarray(start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
