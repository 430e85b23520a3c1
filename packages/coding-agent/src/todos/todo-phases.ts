import { TODO_STATUSES, type TodoItem, type TodoPhase } from "@pintle/wire";

// A list that was handed out is never changed: a change makes a new one.

export type TodoStatus = TodoItem["status"];

export function isTodoStatus(value: unknown): value is TodoStatus {
  return TODO_STATUSES.some((status) => status === value);
}

/** There is still something to do about it. */
export function isOpen({ status }: Pick<TodoItem, "status">): boolean {
  return status === "pending" || status === "in_progress";
}

/** One task at a time: the first one stays in progress, later ones wait. Changes the tasks in place. */
export function keepOneInProgress(phases: readonly TodoPhase[]): void {
  let isTaken = false;
  for (const task of phases.flatMap((phase) => phase.tasks)) {
    if (task.status !== "in_progress") continue;
    if (isTaken) task.status = "pending";
    isTaken = true;
  }
}

/** When nothing is in progress, the first task that waits is what comes next. Changes the task in place. */
export function promoteFirstPending(phases: readonly TodoPhase[]): void {
  const tasks = phases.flatMap((phase) => phase.tasks);
  if (tasks.some(({ status }) => status === "in_progress")) return;
  const next = tasks.find(({ status }) => status === "pending");
  if (next) next.status = "in_progress";
}
