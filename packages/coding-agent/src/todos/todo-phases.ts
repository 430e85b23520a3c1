import { TODO_STATUSES, type TodoItem, type TodoPhase } from "@pintle/wire";

/** The names of phases and tasks are shown on one line; notes and details hold the rest. */
export const MAX_TODO_CHARS = 500;

// A list is never mutated after it was returned: a change creates a new one.

export type TodoStatus = TodoItem["status"];

export function isTodoStatus(value: unknown): value is TodoStatus {
  return TODO_STATUSES.some((status) => status === value);
}

/** Returns whether there is still something to do. */
export function isOpen({ status }: Pick<TodoItem, "status">): boolean {
  return status === "pending" || status === "in_progress";
}

/** Keeps one task in progress: the first one stays, later ones become pending. Changes the tasks in place. */
export function keepOneInProgress(phases: readonly TodoPhase[]): void {
  let isTaken = false;
  for (const task of phases.flatMap((phase) => phase.tasks)) {
    if (task.status !== "in_progress") continue;
    if (isTaken) task.status = "pending";
    isTaken = true;
  }
}

/** If nothing is in progress, starts the first pending task. Changes the task in place. */
export function promoteFirstPending(phases: readonly TodoPhase[]): void {
  const tasks = phases.flatMap((phase) => phase.tasks);
  if (tasks.some(({ status }) => status === "in_progress")) return;
  const next = tasks.find(({ status }) => status === "pending");
  if (next) next.status = "in_progress";
}
