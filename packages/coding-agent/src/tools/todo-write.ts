import { isRecord } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import { TODO_STATUSES, type TodoPhase } from "@pintle/wire";
import { TODO_TOOL } from "../todos/restore-todos.ts";
import { type NewTask, TODO_OPS, type TodoOp } from "../todos/todo-ops.ts";
import type { TodoStatus } from "../todos/todo-phases.ts";
import type { TodoStore } from "../todos/todo-store.ts";
import { declareTool } from "./define-tool.ts";
import { itemsOf, textField } from "./shared/headline.ts";

export interface TodoWriteContext {
  readonly todos: Pick<TodoStore, "applyOps">;
  /** Whether the conversation, and with it the list, is written to a file. */
  storage(): "session" | "memory";
}

export interface TodoWriteDetails {
  phases: TodoPhase[];
  storage: "session" | "memory";
}

const DESCRIPTION = `Keep the todo list that the user sees, for work of several steps. ops, made in order:
- replace {phases}: a new list
- add_phase {name, tasks}
- add_task {phase: id or name, content}
- update {id, status, content}
- remove_task {id}
Set a task to completed as soon as it is done, to abandoned if it will not be done.`;

export const todoWriteTool = declareTool({
  name: TODO_TOOL,
  label: "Todo",
  description: DESCRIPTION,
  concurrency: "exclusive",
  enabledBy: "todo.enabled",
  familyNames: ["todo", "todowrite"],
  headline: ({ ops }) =>
    itemsOf(ops)
      .flatMap((op) => textField(op, "op") ?? [])
      .join(", "),
  parameters: todoWriteParameters,
  prepareArguments,
  load: async () => (await import("./todo-write/execute.ts")).todoWrite,
});

/**
 * One flat object for every op: a choice of shapes is refused by some providers and gives errors that say little. A task
 * may have all that `update` sets; declaring that twice more would cost each request what the op's own fields say already,
 * so the list checks it.
 */
export function todoWriteParameters() {
  const text = () => Type.Optional(Type.String());
  const tasks = () => Type.Optional(Type.Array(Type.Unsafe<NewTask>(Type.Object({ content: Type.String() }))));
  const op = Type.Object({
    op: Type.Unsafe<TodoOp["op"]>({ type: "string", enum: TODO_OPS }),
    phases: Type.Optional(Type.Array(Type.Object({ name: Type.String(), tasks: tasks() }))),
    name: text(),
    tasks: tasks(),
    phase: text(),
    id: text(),
    content: text(),
    status: Type.Optional(Type.Unsafe<TodoStatus>({ type: "string", enum: TODO_STATUSES })),
    notes: text(),
    details: text(),
  });
  return Type.Object({ ops: Type.Array(op) });
}

/** Models leave out the list around a single change, and write a task as its content alone. */
function prepareArguments(args: Record<string, unknown>): Record<string, unknown> {
  if (typeof args.op === "string" && args.ops === undefined) return prepareArguments({ ops: [args] });
  const ops = isRecord(args.ops) ? [args.ops] : args.ops;
  return Array.isArray(ops) ? { ...args, ops: ops.map(withTasks) } : args;
}

/** The same change, or phase, with objects for tasks. */
function withTasks(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { tasks, phases } = value;
  return {
    ...value,
    ...(Array.isArray(tasks) && { tasks: tasks.map((task) => (typeof task === "string" ? { content: task } : task)) }),
    ...(Array.isArray(phases) && { phases: phases.map(withTasks) }),
  };
}
