import { countLines } from "@pintle/foundation";
import type { Settings } from "../../config/settings/settings.ts";

export interface OutputLimits {
  maxLines: number;
  /** In UTF-8. */
  maxBytes: number;
}

/** `details.truncation` of a truncated result. */
export interface Truncation {
  truncated: true;
  truncatedBy: "lines" | "bytes";
  /** Absent if counting stopped before the end. */
  totalLines?: number;
  totalBytes?: number;
  outputLines: number;
  outputBytes: number;
  maxLines: number;
  maxBytes: number;
}

export interface HeadText {
  text: string;
  /** Set only if something was left out. */
  truncation?: Truncation & { totalLines: number; totalBytes: number };
}

/** Returns how much of a tool's output the model gets. */
export function outputLimits(settings: Pick<Settings, "get">): OutputLimits {
  return { maxLines: settings.get("tools.maxOutputLines"), maxBytes: settings.get("tools.maxOutputBytes") };
}

/**
 * Returns the first whole lines that fit, without the last newline. Empty if the first line is too long; use cutToBytes for
 * a part of it. A newline at the end of the text ends its last line and does not start another.
 */
export function truncateHead(text: string, { maxLines, maxBytes }: OutputLimits): HeadText {
  const totalBytes = Buffer.byteLength(text);
  const totalLines = countLines(text);
  if (totalLines <= maxLines && totalBytes <= maxBytes) return { text };
  let end = 0;
  let outputLines = 0;
  let outputBytes = 0;
  while (outputLines < Math.min(totalLines, maxLines)) {
    const start = outputLines === 0 ? 0 : end + 1;
    const newline = text.indexOf("\n", start);
    const lineEnd = newline === -1 ? text.length : newline;
    const grown = outputBytes + (outputLines === 0 ? 0 : 1) + Buffer.byteLength(text.slice(start, lineEnd));
    if (grown > maxBytes) break;
    end = lineEnd;
    outputBytes = grown;
    outputLines += 1;
  }
  // The text may fit exactly without its last newline.
  if (outputLines === totalLines) return { text: text.slice(0, end) };
  const truncatedBy = outputLines === maxLines ? "lines" : "bytes";
  return {
    text: text.slice(0, end),
    truncation: { truncated: true, truncatedBy, totalLines, totalBytes, outputLines, outputBytes, maxLines, maxBytes },
  };
}

/** Formats `51200` as `50 KB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const units = ["KB", "MB", "GB", "TB"];
  const exponent = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** exponent;
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${units[exponent - 1]}`;
}
