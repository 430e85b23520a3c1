import { isRecord } from "@pintle/ai";
import type { ListingReader } from "./listing-reader.ts";

const CHUNK_BYTES = 1 << 20;
/** Longer lines hold images or whole files, and are not searched. */
const LONGEST_LINE = 4 << 20;
const LINE_FEED = 0x0a;
const MESSAGE = /^\{\s*"type"\s*:\s*"(?:message|custom_message|compaction|branch_summary)"/;

/** Returns the words, in lower case, that no message of the session contains. Reads the file only as far as necessary. */
export async function missingWords(reader: ListingReader, path: string, words: readonly string[]): Promise<string[]> {
  let missing = [...words];
  let rest: Buffer = Buffer.alloc(0);
  for (let offset = 0; missing.length > 0; ) {
    const chunk = await reader.read(path, offset, CHUNK_BYTES);
    offset += chunk.length;
    const isEnd = chunk.length < CHUNK_BYTES;
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      missing = withoutFound(missing, bytes.subarray(start, end));
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start, start + LONGEST_LINE + 1));
    if (!isEnd) continue;
    return withoutFound(missing, rest);
  }
  return missing;
}

function withoutFound(words: readonly string[], line: Buffer): string[] {
  if (line.length > LONGEST_LINE || !MESSAGE.test(line.toString("latin1", 0, 100))) return [...words];
  const json = line.toString("utf8");
  // Nearly every word appears in JSON as it is, so most lines need not be parsed.
  const lower = json.toLowerCase();
  if (!words.some((word) => mayContain(lower, word))) return [...words];
  const text = textOf(json).toLowerCase();
  return words.filter((word) => !text.includes(word));
}

function mayContain(lowerJson: string, word: string): boolean {
  return lowerJson.includes(word) || /["\\]|[^\x20-\x7e]/.test(word);
}

/** All strings of the content: text, thinking, arguments of calls, results, summaries. */
function textOf(json: string): string {
  try {
    const entry: unknown = JSON.parse(json);
    if (!isRecord(entry)) return "";
    const message = isRecord(entry.message) ? entry.message : entry;
    const { content, command, output, summary } = message;
    return stringsIn([content, command, output, summary]).join("\n");
  } catch (error) {
    if (error instanceof SyntaxError) return "";
    throw error;
  }
}

/** Keys whose values are written for programs. */
const SKIPPED: ReadonlySet<string> = new Set(["type", "id", "data", "mimeType", "signature", "thinkingSignature"]);

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => (SKIPPED.has(key) ? [] : stringsIn(part)));
}
