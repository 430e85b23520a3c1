import type { CustomMessage } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import type { TodoPhase } from "@pintle/wire";
import { TODO_EDIT_TYPE, TODO_TOOL } from "./restore-todos.ts";
import { firstRows, oneLine } from "./todo-lines.ts";

const PLAN_TYPE = "todo-plan";

/** Informs the model of a list that it has not written itself. Returns undefined if the list is empty. */
export function planNote(phases: readonly TodoPhase[], now: number): CustomMessage | undefined {
  const rows = phases.flatMap(({ name, tasks }) => [
    `${oneLine(name)}:`,
    ...tasks.map(({ id, status, content }) => `- ${id} [${status}] ${oneLine(content)}`),
  ]);
  if (rows.length === 0) return undefined;
  const lines = [
    "The todo list for the work, set by the user:",
    "",
    ...firstRows(rows),
    "",
    "Keep it up to date while you work.",
  ];
  return {
    role: "custom",
    customType: PLAN_TYPE,
    content: `<note>\n${lines.join("\n")}\n</note>`,
    display: false,
    attribution: "agent",
    timestamp: now,
  };
}

/** The fields of an entry that are read. */
interface PathEntry {
  type: string;
  customType?: unknown;
  message?: unknown;
}

/** Returns whether the newest list on a path came from outside and no model has received it since. */
export function hasUnreportedPlan(path: readonly PathEntry[]): boolean {
  const newest = path.findLast(
    ({ type, customType, message }) =>
      (type === "custom" && customType === TODO_EDIT_TYPE) ||
      (type === "custom_message" && customType === PLAN_TYPE) ||
      (type === "message" && isRecord(message) && message.toolName === TODO_TOOL),
  );
  return newest?.type === "custom";
}
