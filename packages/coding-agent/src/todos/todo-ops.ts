import { definedIn } from "@pintle/ai";
import { TODO_STATUSES, type TodoItem, type TodoPhase } from "@pintle/wire";
import { TodoIds } from "./todo-ids.ts";
import { type ClearedTask, putBack, type TodoList } from "./todo-list.ts";
import {
  isTodoStatus,
  keepOneInProgress,
  MAX_TODO_CHARS,
  promoteFirstPending,
  type TodoStatus,
} from "./todo-phases.ts";

export const TODO_OPS = ["replace", "add_phase", "add_task", "update", "remove_task"] as const;

export interface NewTask {
  content: string;
  status?: TodoStatus;
  notes?: string;
  details?: string;
}

/** One change as the model sends it; `op` decides which fields it needs. */
export interface TodoOp {
  op: (typeof TODO_OPS)[number];
  phases?: { name: string; tasks?: NewTask[] }[];
  name?: string;
  tasks?: NewTask[];
  phase?: string;
  id?: string;
  content?: string;
  status?: TodoStatus;
  notes?: string;
  details?: string;
}

interface Draft {
  phases: TodoPhase[];
  cleared: ClearedTask[];
  ids: TodoIds;
  isReplaced: boolean;
}

export interface OpsResult {
  list: TodoList;
  /** Changes that failed; all others were made. */
  errors: string[];
  /** True if ids restarted, because the tasks are unrelated to the previous ones. */
  isReplaced: boolean;
}

/**
 * Applies the changes in order and normalizes once, after the last one, so that a task that the model finishes and one that it
 * starts in the same call both keep their status.
 */
export function applyTodoOps(list: TodoList, ops: readonly TodoOp[]): OpsResult {
  const draft: Draft = {
    phases: structuredClone(list.phases),
    cleared: [...list.cleared],
    ids: idsOf(list),
    isReplaced: false,
  };
  const errors = ops.flatMap((op) => HANDLERS[op.op](draft, op) ?? []);
  keepOneInProgress(draft.phases);
  promoteFirstPending(draft.phases);
  const { phases, cleared, ids, isReplaced } = draft;
  return { list: { phases, cleared, numbers: ids.numbers }, errors, isReplaced };
}

/** Ids for new phases and tasks of the list. */
export function idsOf({ phases, cleared, numbers }: TodoList): TodoIds {
  const taken = {
    phase: new Set([...phases.map(({ id }) => id), ...cleared.map(({ phase }) => phase.id)]),
    task: new Set([...phases.flatMap(({ tasks }) => tasks.map(({ id }) => id)), ...cleared.map(({ task }) => task.id)]),
  };
  return new TodoIds(numbers, (kind, id) => taken[kind].has(id));
}

/** Each handler makes its change, or returns what is wrong and changes nothing. */
const HANDLERS: Record<TodoOp["op"], (draft: Draft, op: TodoOp) => string | undefined> = {
  replace(draft, { phases }) {
    if (!phases) return "replace needs phases";
    const names = phases.map(({ name }) => name);
    if (names.some(isBlank)) return "replace needs a name for every phase";
    if (names.some(isTooLong)) return `replace: the name of a phase ${TOO_LONG}`;
    const problem = firstProblem(phases.flatMap(({ tasks = [] }) => tasks));
    if (problem !== undefined) return `replace: ${problem}`;
    draft.ids = new TodoIds({ phase: 0, task: 0 }, () => false);
    draft.cleared = [];
    draft.isReplaced = true;
    draft.phases = phases.map(({ name, tasks }) => newPhase(draft, name, tasks));
    return undefined;
  },
  add_phase(draft, { name = "", tasks }) {
    if (isBlank(name)) return "add_phase needs a name";
    if (isTooLong(name)) return `add_phase: the name ${TOO_LONG}`;
    const problem = firstProblem(tasks ?? []);
    if (problem !== undefined) return `add_phase: ${problem}`;
    draft.phases.push(newPhase(draft, name, tasks));
    return undefined;
  },
  add_task(draft, { phase: wanted = "", content = "", notes, details }) {
    if (isBlank(wanted) || isBlank(content)) return "add_task needs a phase and content";
    if (isTooLong(content)) return `add_task: content ${TOO_LONG}`;
    const phase = draft.phases.find(({ id }) => id === wanted) ?? draft.phases.find(({ name }) => name === wanted);
    if (!phase) return notFound("Phase", wanted, draft);
    phase.tasks.push(newTask(draft, { content, ...definedIn({ notes, details }) }));
    return undefined;
  },
  update(draft, { id = "", status, content, notes, details }) {
    if (isBlank(id)) return "update needs the id of a task";
    if (content !== undefined && isBlank(content)) return `Task "${id}" needs content`;
    if (content !== undefined && isTooLong(content)) return `update: content ${TOO_LONG}`;
    const task = findTask(draft, id) ?? takeUpAgain(draft, id);
    if (!task) return notFound("Task", id, draft);
    Object.assign(task, definedIn({ status, content, notes, details }));
    return undefined;
  },
  remove_task(draft, { id = "" }) {
    if (isBlank(id)) return "remove_task needs the id of a task";
    const phase = draft.phases.find(({ tasks }) => tasks.some((task) => task.id === id));
    const wasCleared = draft.cleared.some(({ task }) => task.id === id);
    if (!phase && !wasCleared) return notFound("Task", id, draft);
    if (phase) phase.tasks = phase.tasks.filter((task) => task.id !== id);
    draft.cleared = draft.cleared.filter(({ task }) => task.id !== id);
    return undefined;
  },
};

/**
 * Returns the first problem. Only the content of a task that comes with its phase is declared to the model, so other fields may
 * be anything; null is treated as absent.
 */
function firstProblem(tasks: readonly NewTask[]): string | undefined {
  for (const { content, status, notes, details } of tasks) {
    if (isBlank(content)) return "every task needs content";
    if (isTooLong(content)) return `content ${TOO_LONG}`;
    if ((status ?? undefined) !== undefined && !isTodoStatus(status))
      return `status must be one of ${TODO_STATUSES.join(", ")}`;
    if ([notes, details].some((text) => typeof (text ?? "") !== "string")) return "notes and details must be strings";
  }
  return undefined;
}

function newPhase(draft: Draft, name: string, tasks: readonly NewTask[] = []): TodoPhase {
  return { id: draft.ids.next("phase"), name, tasks: tasks.map((task) => newTask(draft, task)) };
}

function newTask({ ids }: Draft, { content, status, notes, details }: NewTask): TodoItem {
  const texts = definedIn({ notes: notes ?? undefined, details: details ?? undefined });
  return { id: ids.next("task"), content, status: status ?? "pending", ...texts };
}

function findTask({ phases }: Draft, id: string): TodoItem | undefined {
  return phases.flatMap(({ tasks }) => tasks).find((task) => task.id === id);
}

function takeUpAgain(draft: Draft, id: string): TodoItem | undefined {
  const cleared = draft.cleared.find(({ task }) => task.id === id);
  if (!cleared) return undefined;
  draft.cleared = draft.cleared.filter((other) => other !== cleared);
  return putBack(draft.phases, cleared);
}

const SHOWN_NAME_CHARS = 200;

function notFound(what: "Phase" | "Task", wanted: string, { phases }: Draft): string {
  const hint = phases.length === 0 ? " (the todo list is empty: create one with replace or add_phase)" : "";
  return `${what} "${wanted.slice(0, SHOWN_NAME_CHARS).toWellFormed()}" not found${hint}`;
}

const TOO_LONG = `has at most ${MAX_TODO_CHARS} characters: put the rest into notes`;

function isTooLong(text: string): boolean {
  return text.length > MAX_TODO_CHARS;
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
