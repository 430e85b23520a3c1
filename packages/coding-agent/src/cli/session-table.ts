import { visiblePath } from "@pintle/foundation";
import { textTable } from "./text-table.ts";

export interface SessionRow {
  /** Length of an id prefix that identifies the session. */
  id: string;
  name?: string;
  firstMessage?: string;
  modifiedAt: number;
  messageCount: number;
  damagedLines?: number;
  cwd: string;
}

const MAX_TITLE = 48;

/** Returns the output of `pintle sessions`. */
export function sessionTable(rows: readonly SessionRow[], { now, home }: { now: number; home: string }): string {
  const cells = rows.map(({ id, name, firstMessage = "", modifiedAt, messageCount, damagedLines = 0, cwd }) => [
    visiblePath(id), // from a file, like all values of the row
    ageText(now - modifiedAt),
    String(messageCount),
    `${titleOf(name ?? firstMessage)}${damagedLines > 0 ? ` (damaged lines: ${damagedLines})` : ""}`,
    visiblePath(cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd),
  ]);
  return textTable([["id", "age", "messages", "name or first message", "directory"], ...cells]);
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/** Formats a duration in its largest unit. */
export function ageText(ms: number): string {
  const unit = UNITS.find(([, size]) => ms >= size);
  return unit ? `${Math.floor(ms / unit[1])} ${unit[0]}` : "now";
}

/** Returns the beginning of foreign text, in one line. */
export function titleOf(text: string): string {
  const line = visiblePath(text.trim().replace(/\s+/g, " "));
  return [...line].length > MAX_TITLE ? `${[...line].slice(0, MAX_TITLE - 1).join("")}…` : line;
}
