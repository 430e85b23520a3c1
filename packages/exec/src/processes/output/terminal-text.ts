// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this is about
/**
 * Escape sequences of terminals: CSI (colors, cursor), strings up to their terminator (titles, links), two-character ones.
 * An incomplete sequence ends at the end of the line at the latest, so that a stray ESC cannot swallow what follows. The
 * one-character forms above U+0080 are left out: they are common in wrongly decoded text and rare in output.
 */
const ESCAPE_SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?/g;
/** The same without those that move the cursor over existing text or erase some of it. */
const STILL_SEQUENCE =
  /\x1b(?!\[[0-9;]*[A-GK]|\[0?J)(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g;
const TO_LINE_START = /\x1b\[[01]?G/g;
/** Matches once per run of carriage returns: trying at each of them would take quadratic time. */
const LINE_END_OF_WINDOWS = /(?<!\r)\r+\n/g;
const CONTROL_CHARACTER = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** The start of a sequence at the end of a chunk. */
const OPEN_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)$/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

export interface TailLimits {
  maxLines: number;
  maxBytes: number;
}

export interface TailText {
  text: string;
  lines: number;
  /** Size in UTF-8. */
  bytes: number;
  isCut: boolean;
}

export interface RawEnds {
  /** True if the first byte is the first that was written. */
  hasStart: boolean;
  /** True if nothing follows, so that an unfinished character at the end is broken. */
  hasEnd: boolean;
}

/** Converts output to text for models and hosts: the only control characters left are newline and tab. */
export function toPlainText(raw: Uint8Array, { hasStart, hasEnd }: RawEnds): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = decoder.decode(hasStart ? raw : afterCutCharacter(raw), { stream: !hasEnd });
  return stripControls(text);
}

function stripControls(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, "").replace(CONTROL_CHARACTER, "");
}

/** Removes escape sequences except those that change earlier text. Returns an incomplete one separately. */
export function withoutStillSequences(text: string): { text: string; open: string } {
  const open = openSequence(text);
  const whole = open === "" ? text : text.slice(0, -open.length);
  return { text: whole.replace(STILL_SEQUENCE, "").replace(LINE_END_OF_WINDOWS, "\n"), open };
}

/** A longer open sequence is not a sequence. */
const MAX_OPEN_CHARACTERS = 4096;

function openSequence(text: string): string {
  return OPEN_SEQUENCE.exec(text.slice(-MAX_OPEN_CHARACTERS))?.[0] ?? "";
}

/**
 * Converts output that is sent as it arrives: what a chunk splits is kept for the next one. Sent text cannot be withdrawn, so a
 * carriage return is kept: the line is overwritten.
 */
export class PlainTextStream {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #open = "";

  add(chunk: Uint8Array): string {
    const text = this.#open + this.#decoder.decode(chunk, { stream: true });
    this.#open = openSequence(text) || openLineEnd(text);
    return stripButReturns(text.slice(0, text.length - this.#open.length));
  }

  /** Returns the rest when nothing follows. */
  end(): string {
    const text = this.#open + this.#decoder.decode();
    this.#open = "";
    return stripButReturns(text.replace(/\r+$/, ""));
  }
}

/** Returns a trailing carriage return, which a following newline would turn into the end of a line. */
function openLineEnd(text: string): string {
  return text.endsWith("\r") ? "\r" : "";
}

function stripButReturns(text: string): string {
  if (!text.includes("\r") && !text.includes("\x1b")) return stripControls(text);
  const lines = text.replace(TO_LINE_START, "\r").replace(LINE_END_OF_WINDOWS, "\n");
  return lines.split(/\r+/).map(stripControls).join("\r");
}

/**
 * Returns the end of a string. Starts with a whole line, unless lines are so long that this would lose most of what
 * fits.
 */
export function keepTail(text: string, { maxLines, maxBytes }: TailLimits): TailText {
  const all = Buffer.from(text);
  const start = Math.max(startOfLastLines(all, maxLines), startOfLastBytes(all, maxBytes));
  const kept = all.subarray(start);
  return { text: kept.toString(), lines: countLines(kept), bytes: kept.length, isCut: start > 0 };
}

function startOfLastLines(text: Buffer, maxLines: number): number {
  if (maxLines <= 0) return text.length;
  // The newline at the end of the text ends a line and does not start one.
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

/** Skips the remaining bytes of a character whose start is lost; they would become replacement characters. */
function afterCutCharacter(raw: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < raw.length && isContinuation(raw[start]!)) start += 1;
  return raw.subarray(start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
