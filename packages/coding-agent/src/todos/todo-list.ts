import type { TodoItem, TodoPhase } from "@pintle/wire";
import { NO_NUMBERS, type TodoNumbers } from "./todo-ids.ts";

/** A finished task that left the list automatically, with its position: the model may reopen it. */
export interface ClearedTask {
  task: TodoItem;
  position: number;
  phase: { id: string; name: string; position: number };
}

export interface TodoList {
  readonly phases: TodoPhase[];
  readonly numbers: TodoNumbers;
  readonly cleared: readonly ClearedTask[];
}

export const EMPTY_LIST: TodoList = { phases: [], numbers: NO_NUMBERS, cleared: [] };

/** How many cleared tasks can still be reopened. */
const MAX_CLEARED = 500;

/** Removes these tasks from the list, and phases that become empty. */
export function withoutTasks(list: TodoList, ids: ReadonlySet<string>): TodoList {
  const cleared: ClearedTask[] = [];
  const phases = list.phases.flatMap((phase, position) => {
    const tasks = phase.tasks.filter((task, taskPosition) => {
      if (!ids.has(task.id)) return true;
      cleared.push({ task, position: taskPosition, phase: { id: phase.id, name: phase.name, position } });
      return false;
    });
    if (tasks.length === phase.tasks.length) return [phase];
    return tasks.length === 0 ? [] : [{ ...phase, tasks }];
  });
  return { ...list, phases, cleared: [...list.cleared, ...cleared].slice(-MAX_CLEARED) };
}

/** Restores a cleared task at its position. Changes the phases in place. */
export function putBack(phases: TodoPhase[], { task, position, phase: origin }: ClearedTask): TodoItem {
  let phase = phases.find(({ id }) => id === origin.id);
  if (!phase) {
    phase = { id: origin.id, name: origin.name, tasks: [] };
    phases.splice(origin.position, 0, phase);
  }
  const restored = { ...task };
  phase.tasks.splice(position, 0, restored);
  return restored;
}
