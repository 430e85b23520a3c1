import { cutText } from "@pintle/ai";
import type { TodoItem, TodoPhase } from "@pintle/wire";
import { isOpen } from "./todo-phases.ts";

const SHOWN_CHARS = 160;
const SHOWN_ROWS = 100;

/** Returns bounded text on one line, because the content of a task comes from a model or a host. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return cutText(line, SHOWN_CHARS);
}

/** Returns the first rows and the number of the remaining ones. */
export function firstRows(rows: readonly string[]): string[] {
  const rest = rows.length - SHOWN_ROWS;
  return rest > 0 ? [...rows.slice(0, SHOWN_ROWS), `… and ${rest} more`] : [...rows];
}

export function openTasks(phases: readonly TodoPhase[]): TodoItem[] {
  return phases.flatMap(({ tasks }) => tasks.filter(isOpen));
}
