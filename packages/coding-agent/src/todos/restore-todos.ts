import { isRecord } from "@pintle/ai";
import type { TodoItem, TodoPhase } from "@pintle/wire";
import { NO_NUMBERS, numbersWith, TodoIds, type TodoNumbers } from "./todo-ids.ts";
import { isOpen, isTodoStatus, keepOneInProgress } from "./todo-phases.ts";

/** The fields of a session entry that are read; any entry matches. */
interface Entry {
  type: string;
}

export interface RestoredTodos {
  phases: TodoPhase[];
  /** Numbers used anywhere on the path, including those of removed tasks. */
  numbers: TodoNumbers;
}

/** The type of entry that holds a list set from outside. */
export const TODO_EDIT_TYPE = "user_todo_edit";

/** The tool that keeps the list. */
export const TODO_TOOL = "todo_write";

/** pintle's tool and omp's, whose tasks have no ids. */
const TODO_TOOLS: ReadonlySet<unknown> = new Set([TODO_TOOL, "todo"]);

/**
 * Restores the list of a conversation that is opened: the newest one on its path from the root to the leaf. Finished tasks have
 * been shown long enough and are omitted.
 */
export function restoreTodos(path: readonly Entry[]): RestoredTodos {
  let newest: TodoPhase[] | undefined;
  let numbers = NO_NUMBERS;
  const start = path.findLastIndex((entry) => entry.type === "reset_boundary") + 1;
  for (let index = path.length - 1; index >= start; index -= 1) {
    const stored = storedPhases(path[index] as Entry & Record<string, unknown>);
    if (!stored) continue;
    const phases = readPhases(stored);
    numbers = numbersWith(numbers, phases);
    newest ??= phases;
  }
  return { phases: withoutFinished(newest ?? []), numbers };
}

function storedPhases(entry: Record<string, unknown>): unknown[] | undefined {
  const holder = entry.type === "message" ? resultOf(entry.message) : editOf(entry);
  return isRecord(holder) && Array.isArray(holder.phases) ? holder.phases : undefined;
}

function editOf({ type, customType, data }: Record<string, unknown>): unknown {
  return type === "custom" && customType === TODO_EDIT_TYPE ? data : undefined;
}

function resultOf(message: unknown): unknown {
  if (!isRecord(message) || message.role !== "toolResult") return undefined;
  return TODO_TOOLS.has(message.toolName) && message.isError !== true ? message.details : undefined;
}

/** Reads stored phases. A file may come from another program or version, so unreadable parts are dropped. */
function readPhases(stored: readonly unknown[]): TodoPhase[] {
  const taken = { phase: new Set<string>(), task: new Set<string>() };
  const records = stored.filter(isRecord).map((phase) => ({
    id: phase.id,
    name: isText(phase.name) ? phase.name : "Tasks",
    tasks: (Array.isArray(phase.tasks) ? phase.tasks : []).filter(isRecord).filter(({ content }) => isText(content)),
  }));
  const known = new Set([...records, ...records.flatMap(({ tasks }) => tasks)].map(({ id }) => id));
  const ids = new TodoIds(NO_NUMBERS, (_kind, id) => known.has(id));
  const idOf = (kind: "phase" | "task", id: unknown) => {
    const own = isText(id) && !taken[kind].has(id) ? id : ids.next(kind);
    taken[kind].add(own);
    return own;
  };
  const phases = records.map(({ id, name, tasks }) => ({
    id: idOf("phase", id),
    name,
    tasks: tasks.map((task) => readTask(idOf("task", task.id), task)),
  }));
  keepOneInProgress(phases);
  return phases;
}

function readTask(id: string, task: Record<string, unknown>): TodoItem {
  const { content, status, notes, details, blocker } = task;
  const note = isText(notes) ? notes : blocker; // what a blocked task of omp waits for
  return {
    id,
    content: String(content),
    status: isTodoStatus(status) ? status : "pending",
    ...(isText(note) && { notes: note }),
    ...(isText(details) && { details }),
  };
}

function withoutFinished(phases: readonly TodoPhase[]): TodoPhase[] {
  return phases
    .map((phase) => ({ ...phase, tasks: phase.tasks.filter(isOpen) }))
    .filter(({ tasks }) => tasks.length > 0);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
