import { cutText } from "@pintle/ai";
import type { TodoPhase } from "@pintle/wire";
import { firstRows, oneLine, openTasks } from "../../todos/todo-lines.ts";
import { isOpen, type TodoStatus } from "../../todos/todo-phases.ts";

const MARKS: Record<TodoStatus, string> = { pending: "○", in_progress: "→", completed: "✓", abandoned: "✗" };
const DETAILS_CHARS = 2000;

/** What the model reads after a change: what went wrong, what is left, where it stands, and the whole list. */
export function describeTodos(phases: readonly TodoPhase[], errors: readonly string[]): string {
  const failures = errors.length > 0 ? [["Errors:", ...firstRows(errors.map((error) => `- ${error}`))]] : [];
  const sections =
    phases.length === 0 ? [["Todo list cleared."]] : [remaining(phases), progress(phases), whole(phases)];
  return [...failures, ...sections].map((lines) => lines.join("\n")).join("\n\n");
}

function remaining(phases: readonly TodoPhase[]): string[] {
  const count = openTasks(phases).length;
  if (count === 0) return ["Nothing remains to be done."];
  const rows = phases.flatMap(({ name, tasks }) =>
    tasks.filter(isOpen).map(({ id, status, content, details }) => {
      const row = `- ${id} [${status}] ${oneLine(content)} (${oneLine(name)})`;
      return status === "in_progress" && details !== undefined ? `${row}\n${indent(details)}` : row;
    }),
  );
  return [`Remaining (${count}):`, ...firstRows(rows)];
}

function indent(details: string): string {
  const shown = cutText(details, DETAILS_CHARS);
  return shown.replace(/^/gm, "    ");
}

/** The phase with the task in progress, else the last one. */
function progress(phases: readonly TodoPhase[]): string[] {
  const current = phases.findIndex(({ tasks }) => tasks.some(({ status }) => status === "in_progress"));
  const index = current < 0 ? phases.length - 1 : current;
  const { name, tasks } = phases[index]!;
  const count = (wanted: TodoStatus) => tasks.filter(({ status }) => status === wanted).length;
  const abandoned = count("abandoned") > 0 ? `, ${count("abandoned")} abandoned` : "";
  return [
    `Phase ${index + 1}/${phases.length} "${oneLine(name)}": ${count("completed")}/${tasks.length} completed${abandoned}`,
  ];
}

function whole(phases: readonly TodoPhase[]): string[] {
  const rows = phases.flatMap(({ id, name, tasks }) => [
    `${oneLine(name)} (${id})`,
    ...tasks.map(({ id, status, content }) => `  ${MARKS[status]} ${id} ${oneLine(content)}`),
  ]);
  return firstRows(rows);
}
