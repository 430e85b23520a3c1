import { isRecord } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import { TODO_STATUSES, type TodoPhase } from "@pintle/wire";
import { TODO_TOOL } from "../todos/restore-todos.ts";
import { TODO_OPS, type TodoOp } from "../todos/todo-ops.ts";
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

const DESCRIPTION = `Keeps the todo list of this session, which the user sees. Use it for work of several steps; a single step needs none.

Each element of ops is one change, made in order:
- replace {phases: [{name, tasks?}]}: a new list; ids count from 1 again
- add_phase {name, tasks?}: one more phase at the end
- add_task {phase, content, notes?, details?}: one more task at the end of the phase with this id or name
- update {id, status?, content?, notes?, details?}: changes what is given
- remove_task {id}: takes a task off the list

One task at most is in_progress; when none is, the first pending one becomes it. Set a task to completed as soon as it is done, and to abandoned when it will not be done. Finished tasks leave the list after a while. Changes that belong together go into one call.`;

export const todoWriteTool = declareTool({
  name: TODO_TOOL,
  label: "Todo",
  description: DESCRIPTION,
  promptSnippet: "Keep the list of steps that the user sees",
  promptGuidelines: ["Plan work of several steps with todo_write and keep the list true while you work."],
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

/** One flat object for every op: a choice of shapes is refused by some providers and gives errors that say little. */
export function todoWriteParameters() {
  const status = () => Type.Unsafe<TodoStatus>({ type: "string", enum: TODO_STATUSES });
  const text = (description: string) => Type.Optional(Type.String({ description }));
  const tasks = () =>
    Type.Array(
      Type.Object({
        content: Type.String({ description: "what is to be done, one line" }),
        status: Type.Optional(status()),
        notes: text("a short remark"),
        details: text("what matters while the task is worked on"),
      }),
    );
  const op = Type.Object({
    op: Type.Unsafe<TodoOp["op"]>({ type: "string", enum: TODO_OPS }),
    phases: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), tasks: Type.Optional(tasks()) }), { description: "replace" }),
    ),
    name: text("add_phase"),
    tasks: Type.Optional(tasks()),
    phase: text("add_task: id or exact name of the phase"),
    id: text("update, remove_task: id of the task"),
    content: text("add_task, update"),
    status: Type.Optional(status()),
    notes: text("add_task, update"),
    details: text("add_task, update"),
  });
  return Type.Object({ ops: Type.Array(op) });
}

/** Models leave out the list around a single change. */
function prepareArguments(args: Record<string, unknown>): Record<string, unknown> {
  if (typeof args.op === "string" && args.ops === undefined) return { ops: [args] };
  const isSingle = isRecord(args.ops);
  return isSingle ? { ...args, ops: [args.ops] } : args;
}
