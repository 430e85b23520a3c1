import { isRecord } from "@pintle/ai";
import { TODO_STATUSES, type TodoItem, type TodoPhase } from "@pintle/wire";
import { NO_NUMBERS, TodoIds } from "./todo-ids.ts";
import { isTodoStatus, keepOneInProgress, MAX_TODO_CHARS } from "./todo-phases.ts";

/** An invalid field and what it must be. */
export interface TodoFault {
  field: string;
  mustBe: string;
}

class Fault extends Error {
  readonly fault: TodoFault;
  constructor(field: string, mustBe: string) {
    super(`${field} must be ${mustBe}`);
    this.fault = { field, mustBe };
  }
}

/**
 * Parses a list from a host. Keeps its content and promotes nothing; only missing and repeated ids are filled in, and of several
 * tasks in progress only the first stays so.
 */
export function parseTodoPhases(value: unknown): { phases: TodoPhase[] } | TodoFault {
  try {
    const drafts = arrayOf(value, "phases").map((phase, index) => parsePhase(phase, `phases[${index}]`));
    const phases = fillInIds(drafts);
    keepOneInProgress(phases);
    return { phases };
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
}

/** `id` is whatever was sent. */
type Draft<T> = Omit<T, "id"> & { id: unknown };
type PhaseDraft = Draft<Omit<TodoPhase, "tasks">> & { tasks: Draft<TodoItem>[] };

function parsePhase(value: unknown, field: string): PhaseDraft {
  const { id, name, tasks } = objectOf(value, field);
  return {
    id,
    name: filledText(name, `${field}.name`),
    tasks: arrayOf(tasks ?? [], `${field}.tasks`).map((task, index) => parseTask(task, `${field}.tasks[${index}]`)),
  };
}

function parseTask(value: unknown, field: string): Draft<TodoItem> {
  const { id, content, status, notes, details } = objectOf(value, field);
  const wanted = status ?? "pending";
  // The protocol fixes this text, which contains no path.
  if (!isTodoStatus(wanted)) throw new Fault("status", `one of ${TODO_STATUSES.join(", ")}`);
  return {
    id,
    content: filledText(content, `${field}.content`),
    status: wanted,
    ...optionalText("notes", notes, field),
    ...optionalText("details", details, field),
  };
}

/** Fills in ids. The first owner of an id keeps it. New numbers run across all phases and avoid the ids that were kept. */
function fillInIds(drafts: readonly PhaseDraft[]): TodoPhase[] {
  const kept = { phase: new Map<unknown, object>(), task: new Map<unknown, object>() };
  const keep = (owners: Map<unknown, object>, draft: { id: unknown }) => {
    if (typeof draft.id === "string" && draft.id !== "" && !owners.has(draft.id)) owners.set(draft.id, draft);
  };
  for (const phase of drafts) {
    keep(kept.phase, phase);
    for (const task of phase.tasks) keep(kept.task, task);
  }
  const ids = new TodoIds(NO_NUMBERS, (kind, id) => kept[kind].has(id));
  const idOf = (kind: "phase" | "task", draft: { id: unknown }) =>
    typeof draft.id === "string" && kept[kind].get(draft.id) === draft ? draft.id : ids.next(kind);
  return drafts.map((phase) => ({
    id: idOf("phase", phase),
    name: phase.name,
    tasks: phase.tasks.map((task) => ({ ...task, id: idOf("task", task) })),
  }));
}

function arrayOf(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw new Fault(field, "an array");
  return value;
}

function objectOf(value: unknown, field: string): Record<string, unknown> {
  if (!isRecord(value)) throw new Fault(field, "an object");
  return value;
}

function filledText(value: unknown, field: string): string {
  if (typeof value !== "string" || value.trim() === "") throw new Fault(field, "a non-blank string");
  if (value.length > MAX_TODO_CHARS) throw new Fault(field, `a string of at most ${MAX_TODO_CHARS} characters`);
  return value;
}

/** Some clients send null for unset fields. */
function optionalText<K extends "notes" | "details">(name: K, value: unknown, field: string): { [key in K]?: string } {
  if (value === undefined || value === null) return {};
  if (typeof value !== "string") throw new Fault(`${field}.${name}`, "a string");
  return { [name]: value } as { [key in K]: string };
}
