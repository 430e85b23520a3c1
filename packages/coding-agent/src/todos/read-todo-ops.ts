import { isRecord } from "@pintle/ai";
import { TODO_STATUSES } from "@pintle/wire";
import { type NewTask, TODO_OPS, type TodoOp } from "./todo-ops.ts";
import { isTodoStatus } from "./todo-phases.ts";

const TEXTS = ["name", "phase", "id", "content", "notes", "details"] as const;
const FIELDS: ReadonlySet<string> = new Set([...TEXTS, "op", "status", "phases", "tasks"]);

/**
 * Reads changes that a model sends as `ops`, which the tool's schema does not declare. Returns the faults if they are invalid.
 */
export function readTodoOps(value: unknown): { ops: TodoOp[] } | { faults: string[] } {
  if (!Array.isArray(value)) return { faults: ["ops: must be array"] };
  const faults: string[] = [];
  const ops = value.map((op, index) => readOp(op, `ops.${index}`, faults));
  return faults.length > 0 ? { faults } : { ops };
}

function readOp(value: unknown, place: string, faults: string[]): TodoOp {
  const fields = isRecord(value) ? value : {};
  if (!isRecord(value)) faults.push(`${place}: must be object`);
  for (const name of Object.keys(fields)) if (!FIELDS.has(name)) faults.push(`${place}.${name}: is not allowed`);
  const op = TODO_OPS.find((known) => known === fields.op);
  if (!op) faults.push(`${place}.op: must be one of ${quotedList(TODO_OPS)}`);
  const status = readStatus(fields.status, place, faults);
  return {
    op: op ?? "update",
    ...Object.fromEntries(TEXTS.flatMap((name) => textField(fields, name, place, faults))),
    ...(status !== undefined && { status }),
    ...(isGiven(fields.tasks) && { tasks: readTasks(fields.tasks, `${place}.tasks`, faults) }),
    ...(isGiven(fields.phases) && { phases: readPhases(fields.phases, `${place}.phases`, faults) }),
  };
}

function readPhases(value: unknown, place: string, faults: string[]): { name: string; tasks?: NewTask[] }[] {
  return listOf(value, place, faults).map((phase, index) => {
    const { name, tasks } = isRecord(phase) ? phase : {};
    if (typeof name !== "string") faults.push(`${place}.${index}.name: is required`);
    return {
      name: String(name),
      ...(isGiven(tasks) && { tasks: readTasks(tasks, `${place}.${index}.tasks`, faults) }),
    };
  });
}

/** Reads the content of tasks; the list validates their other fields. */
function readTasks(value: unknown, place: string, faults: string[]): NewTask[] {
  return listOf(value, place, faults).map((task, index) => {
    const fields = typeof task === "string" ? { content: task } : isRecord(task) ? task : {};
    if (typeof fields.content !== "string") faults.push(`${place}.${index}.content: is required`);
    return { ...fields, content: String(fields.content) };
  });
}

function readStatus(value: unknown, place: string, faults: string[]): TodoOp["status"] {
  if (!isGiven(value)) return undefined;
  if (isTodoStatus(value)) return value;
  faults.push(`${place}.status: must be one of ${quotedList(TODO_STATUSES)}`);
  return undefined;
}

function textField(
  fields: Record<string, unknown>,
  name: (typeof TEXTS)[number],
  place: string,
  faults: string[],
): [string, string][] {
  const value = fields[name];
  if (!isGiven(value)) return [];
  if (typeof value === "string") return [[name, value]];
  faults.push(`${place}.${name}: must be string`);
  return [];
}

/** Accepts a list as JSON text, and a single item without a list. */
function listOf(value: unknown, place: string, faults: string[]): unknown[] {
  if (Array.isArray(value)) return value;
  if (isRecord(value)) return [value];
  faults.push(`${place}: must be array`);
  return [];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function quotedList(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}
