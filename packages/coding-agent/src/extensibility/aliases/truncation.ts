import { keepTail } from "@pintle/exec/processes";
import { countLines } from "@pintle/foundation";
import { truncateHead as headOf } from "../../tools/shared/truncate.ts";

// Adapts pintle's truncation to the result format that existing extensions read.

export const DEFAULT_MAX_LINES = 2_000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
const MAX_LINE_CHARACTERS = 500;

export interface TruncationOptions {
  maxLines?: number;
  maxBytes?: number;
}

export interface TruncationResult {
  content: string;
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** True if only part of the first shown line fits. */
  lastLinePartial: boolean;
  /** True if nothing is shown, because not even the first line fits. */
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** Keeps the start, in whole lines. */
export function truncateHead(text: string, options: TruncationOptions = {}): TruncationResult {
  const limits = limitsOf(options);
  const { text: content, truncation } = headOf(text, limits);
  if (!truncation) return { ...whole(text), content, ...limits };
  return {
    ...whole(text),
    ...truncation,
    content,
    firstLineExceedsLimit: truncation.outputLines === 0,
  };
}

/** Keeps the end. */
export function truncateTail(text: string, options: TruncationOptions = {}): TruncationResult {
  const limits = limitsOf(options);
  const { text: content, lines, bytes, isCut } = keepTail(text, limits);
  if (!isCut) return { ...whole(text), ...limits };
  const before = text.slice(0, text.length - content.length);
  return {
    ...whole(text),
    content,
    truncated: true,
    truncatedBy: lines >= limits.maxLines ? "lines" : "bytes",
    outputLines: lines,
    outputBytes: bytes,
    lastLinePartial: !before.endsWith("\n"),
    ...limits,
  };
}

/** Truncates one line, for lists of matches. */
export function truncateLine(line: string, maxChars = MAX_LINE_CHARACTERS): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars).toWellFormed()}... [truncated]`, wasTruncated: true };
}

/** Formats a size: `51200` becomes `50.0KB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  const [value, unit] = bytes < 1024 ** 2 ? [bytes / 1024, "KB"] : [bytes / 1024 ** 2, "MB"];
  return `${value.toFixed(1)}${unit}`;
}

function limitsOf({ maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES }: TruncationOptions) {
  return { maxLines, maxBytes };
}

function whole(text: string): Omit<TruncationResult, "maxLines" | "maxBytes"> {
  const totalLines = countLines(text);
  const totalBytes = Buffer.byteLength(text);
  return {
    content: text,
    truncated: false,
    truncatedBy: null,
    totalLines,
    totalBytes,
    outputLines: totalLines,
    outputBytes: totalBytes,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
  };
}
