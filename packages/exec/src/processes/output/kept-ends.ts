import { countLines, cutToBytes } from "@pintle/foundation";
import { keepTail, type TailLimits, type TailText } from "./terminal-text.ts";

export interface OutputLimits extends TailLimits {
  /** The fraction of the limits for the start; without it only the end is kept. */
  headShare?: number;
}

export interface KeptEnds extends TailText {
  /** The start, if something after it is omitted; `text` is the end. `lines` and `bytes` cover both. */
  head?: string;
}

/** Keeps the start of long output, which often contains the cause, and its end. `end` is the whole output if `isWhole`. */
export function keepEnds(
  { start, end, isWhole }: { start: string; end: string; isWhole: boolean },
  { maxLines, maxBytes, headShare = 0 }: OutputLimits,
): KeptEnds {
  const all = keepTail(end, { maxLines, maxBytes });
  if (isWhole && !all.isCut) return all;
  const head = firstLines(start, Math.floor(maxLines * headShare), Math.floor(maxBytes * headShare));
  if (head === "") return { ...all, isCut: true };
  const [lines, bytes] = [countLines(head), Buffer.byteLength(head)];
  const tail = keepTail(end, { maxLines: maxLines - lines, maxBytes: maxBytes - bytes });
  return { head, text: tail.text, lines: lines + tail.lines, bytes: bytes + tail.bytes, isCut: true };
}

/** Returns whole lines, unless the first one is already too long. */
function firstLines(text: string, maxLines: number, maxBytes: number): string {
  let end = 0;
  for (let line = 0; line < maxLines && end < text.length; line += 1) end = text.indexOf("\n", end) + 1 || text.length;
  const fitting = cutToBytes(text.slice(0, end), maxBytes);
  const whole = fitting.length === end ? end : fitting.lastIndexOf("\n") + 1;
  return whole > 0 ? fitting.slice(0, whole) : fitting;
}
