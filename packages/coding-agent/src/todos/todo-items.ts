import { definedIn } from "@pintle/ai";
import type { TodoItem, TodoPhase } from "@pintle/wire";
import type { TodoList } from "./todo-list.ts";
import { idsOf, type OpsResult } from "./todo-ops.ts";
import { isOpen, keepOneInProgress, promoteFirstPending, type TodoStatus } from "./todo-phases.ts";

/** A task of the whole list as the model sends it. */
export interface WrittenTodo {
  content: string;
  status?: TodoStatus;
  phase?: string;
}

/** The phase of tasks that name none if there is no list yet. */
const ONLY_PHASE = "Tasks";

/**
 * Makes these tasks the list. A task that existed keeps its id, phase, notes and details; a new one without a phase belongs to
 * the phase of the task before it.
 */
export function applyTodoItems(list: TodoList, items: readonly WrittenTodo[]): OpsResult {
  const before = list.phases.flatMap(({ name, tasks }) => tasks.map((task) => ({ phase: name, task })));
  const ids = idsOf(list);
  const phases = new Map<string, TodoPhase>();
  let current = list.phases[0]?.name ?? ONLY_PHASE;
  let kept = 0;
  for (const { content, status = "pending", phase: wanted } of items) {
    const at = before.findIndex(({ task }) => task.content.trim() === content.trim());
    const [known] = at === -1 ? [] : before.splice(at, 1);
    const isCleared = list.cleared.some(({ task }) => task.content.trim() === content.trim());
    if (!known && isCleared && !isOpen({ status })) continue; // was shown as finished and has left the list
    if (known) kept += 1;
    current = wanted ?? known?.phase ?? current;
    const phase = phases.get(current) ?? newPhase(list, current, () => ids.next("phase"));
    phases.set(current, phase);
    const { notes, details } = known?.task ?? {};
    const task: TodoItem = { id: known?.task.id ?? ids.next("task"), content, status };
    phase.tasks.push({ ...task, ...definedIn({ notes, details }) });
  }
  const result = [...phases.values()];
  keepOneInProgress(result);
  promoteFirstPending(result);
  const isReplaced = kept === 0;
  return {
    list: { phases: result, cleared: isReplaced ? [] : list.cleared, numbers: ids.numbers },
    errors: [],
    isReplaced,
  };
}

function newPhase({ phases }: TodoList, name: string, nextId: () => string): TodoPhase {
  return { id: phases.find((phase) => phase.name === name)?.id ?? nextId(), name, tasks: [] };
}
