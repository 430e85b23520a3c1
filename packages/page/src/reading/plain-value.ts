/** Returns the fields of an untrusted value. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns a value that should be a string as a string. Ignores objects: their `toString` may itself be a string, and
 * calling it would throw.
 */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null || typeof value === "object" ? "" : String(value);
}

/** Returns undefined for anything that cannot be added up. */
export function amountOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

const MOST_LEVELS = 40;
const LONGEST_STRING = 64 * 1024;

/** Returns a copy that can be written as JSON and shown on a page: limited in depth and in the length of strings. */
export function boundedValue(value: unknown, level = 0): unknown {
  if (typeof value === "string") return boundedText(value);
  if (typeof value !== "object" || value === null) return value;
  if (level >= MOST_LEVELS) return "…";
  if (Array.isArray(value)) return value.map((item) => boundedValue(item, level + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, boundedValue(item, level + 1)]));
}

function boundedText(text: string): string {
  if (text.length <= LONGEST_STRING) return text;
  return `${text.slice(0, LONGEST_STRING).toWellFormed()}… (${text.length - LONGEST_STRING} more characters)`;
}

const LONGEST_TITLE = 160;

/** Returns the beginning of a string in one line. Reads no more of it than needed. */
export function oneLine(text: string, most = LONGEST_TITLE): string {
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= most && text.length <= most * 4) return line.toWellFormed();
  return `${line.slice(0, most).trimEnd().toWellFormed()}…`;
}
