import { cutText, isRecord, textsOf } from "@pintle/ai";

/** An entry of a session file. */
export interface LoggedEntry {
  entryId: string;
  /** The line without its LF. */
  line: string;
}

/** The facts of an entry that a list of sessions shows. */
export interface EntryFacts {
  isMessage: boolean;
  /** null if the name was removed. */
  name?: string | null;
  /** The text of the user message. */
  userText?: string;
  cost?: number;
}

/** The field that contains the name of the session, by type of entry. */
const NAME_FIELDS: Readonly<Record<string, string>> = { session_info: "name", title_change: "title" };
const MAX_FIRST_MESSAGE = 500;

export function entryFacts(entry: Readonly<Record<string, unknown>>): EntryFacts {
  const { type, message } = entry;
  const nameField = NAME_FIELDS[String(type)];
  if (nameField !== undefined) {
    const name = entry[nameField];
    return { isMessage: false, name: typeof name === "string" && name.trim() !== "" ? storable(name.trim()) : null };
  }
  if (type !== "message" || !isRecord(message)) return { isMessage: false };
  if (message.role === "user") return { isMessage: true, userText: storable(userText(message.content)) };
  if (message.role !== "assistant") return { isMessage: true };
  const cost = costOf(message.usage);
  return { isMessage: true, ...(cost !== undefined && { cost }) };
}

export function firstMessageText(text: string): string {
  return cutText(text, MAX_FIRST_MESSAGE);
}

/**
 * Removes NUL and lone surrogates, which PostgreSQL strings cannot contain. The stored line of an entry escapes both,
 * so it stays unchanged.
 */
export function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

function userText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? textsOf(content as Parameters<typeof textsOf>[0]).join("\n") : "";
}

function costOf(usage: unknown): number | undefined {
  const cost = isRecord(usage) && isRecord(usage.cost) ? usage.cost.total : undefined;
  return typeof cost === "number" && Number.isFinite(cost) ? cost : undefined;
}
