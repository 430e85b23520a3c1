import { isRecord } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import { TODO_STATUSES, type TodoPhase } from "@pintle/wire";
import { TODO_TOOL } from "../todos/restore-todos.ts";
import type { TodoStatus } from "../todos/todo-phases.ts";
import type { TodoStore } from "../todos/todo-store.ts";
import { declareTool } from "./define-tool.ts";
import { itemsOf, textField } from "./shared/headline.ts";
import { dropped } from "./shared/parameter-aliases.ts";

export interface TodoWriteContext {
  readonly todos: Pick<TodoStore, "applyOps" | "applyItems">;
  /** Whether the conversation, and with it the list, is stored in a file. */
  storage(): "session" | "memory";
}

export interface TodoWriteDetails {
  phases: TodoPhase[];
  storage: "session" | "memory";
}

const parameters = () =>
  Type.Object({
    todos: Type.Array(
      Type.Object({
        content: Type.String(),
        status: Type.Optional(Type.Unsafe<TodoStatus>({ type: "string", enum: TODO_STATUSES })),
        phase: Type.Optional(Type.String({ description: "heading, for long lists" })),
      }),
      { description: "the whole list, in order" },
    ),
  });

export type TodoWriteParameters = ReturnType<typeof parameters>;

export const todoWriteTool = declareTool({
  name: TODO_TOOL,
  label: "Todo",
  description:
    "Maintain the todo list that the user sees, for work in several steps. Send the whole list with every change. Mark a task completed as soon as it is done, or abandoned if it will not be done.",
  aliases: ["update_plan", "write_todos"],
  parameterNames: {
    aliases: { plan: "todos", tasks: "todos", items: "todos", explanation: dropped },
    items: {
      todos: {
        aliases: {
          text: "content",
          task: "content",
          step: "content",
          title: "content",
          description: "content",
          state: "status",
        },
        accepted: ["id", "priority", "activeForm"],
      },
    },
    // Single changes in the format of pi's relatives: accepted, but not declared.
    accepted: ["ops"],
  },
  concurrency: "exclusive",
  enabledBy: "todo.enabled",
  familyNames: ["todo", "todowrite"],
  headline: ({ ops, todos }) => [...itemsOf(ops), ...itemsOf(todos)].flatMap(headlineOf).join(", "),
  parameters,
  prepareArguments,
  load: async () => (await import("./execute-todo-write.ts")).todoWrite,
});

/** Returns the task of a list that is in progress. */
function headlineOf(item: unknown): string[] {
  const op = textField(item, "op");
  const isActive = textField(item, "status") === "in_progress";
  const text = op ?? (isActive ? textField(item, "content") : undefined);
  return text === undefined ? [] : [text];
}

/** Accepts a single change without a list around it, and a task that is only its content. */
function prepareArguments(args: Record<string, unknown>): Record<string, unknown> {
  if (typeof args.op === "string" && args.ops === undefined) return { ops: [args], todos: [] };
  if (args.ops !== undefined && args.todos === undefined) {
    return { ...args, ops: isRecord(args.ops) ? [args.ops] : parsed(args.ops), todos: [] };
  }
  const todos = isRecord(args.todos) ? [args.todos] : parsed(args.todos);
  return Array.isArray(todos) ? { ...args, todos: todos.map(usualTodo) } : args;
}

/** Other agents' names for a status. */
const STATUSES: Readonly<Record<string, TodoStatus>> = {
  cancelled: "abandoned",
  canceled: "abandoned",
  done: "completed",
  not_started: "pending",
};

function usualTodo(todo: unknown): unknown {
  if (typeof todo === "string") return { content: todo };
  const status = STATUSES[textField(todo, "status") ?? ""];
  return isRecord(todo) && status !== undefined ? { ...todo, status } : todo;
}

/** Parses a list that was sent as JSON text. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // validation reports it
  }
}
