import { cutText } from "@pintle/ai";
import type { TodoItem, TodoPhase } from "@pintle/wire";
import { readTodoOps } from "../todos/read-todo-ops.ts";
import { firstRows, oneLine, openTasks } from "../todos/todo-lines.ts";
import type { TodoStatus } from "../todos/todo-phases.ts";
import type { ToolImplementation } from "./define-tool.ts";
import type { TodoWriteContext, TodoWriteDetails, TodoWriteParameters } from "./todo-write.ts";

export const todoWrite: ToolImplementation<TodoWriteParameters, TodoWriteDetails, TodoWriteContext> = {
  async execute(args, _call, { todos, storage }) {
    const isBoth = "ops" in args && args.todos.length > 0;
    if (isBoth)
      throw new Error(refusal(["root: send either the whole list as todos or single changes as ops, not both"]));
    const { phases, errors } = "ops" in args ? applyOps(args.ops, todos) : applyItems(args.todos, todos);
    return {
      content: [{ type: "text", text: describeTodos(phases, errors) }],
      details: { phases, storage: storage() },
    };
  },
};

function applyOps(sent: unknown, todos: TodoWriteContext["todos"]) {
  const read = readTodoOps(sent);
  if ("faults" in read) throw new Error(refusal(read.faults));
  return todos.applyOps(read.ops);
}

function applyItems(items: Parameters<TodoWriteContext["todos"]["applyItems"]>[0], todos: TodoWriteContext["todos"]) {
  const blank = items.findIndex(({ content }) => content.trim() === "");
  if (blank !== -1) throw new Error(refusal([`todos.${blank}.content: must not be blank`]));
  return todos.applyItems(items);
}

/** Returns the error in the format of all validation errors. */
function refusal(faults: readonly string[]): string {
  return ['Validation failed for tool "todo_write":', ...faults.map((fault) => `  - ${fault}`)].join("\n");
}

const MARKS: Record<TodoStatus, string> = { pending: "○", in_progress: "→", completed: "✓", abandoned: "✗" };
const DETAILS_CHARS = 2000;

/** Returns the result for the model: what went wrong, how much is left, and the list. */
function describeTodos(phases: readonly TodoPhase[], errors: readonly string[]): string {
  const failures = errors.length > 0 ? [["Errors:", ...firstRows(errors.map((error) => `- ${error}`))]] : [];
  const sections = phases.length === 0 ? [["Todo list cleared."]] : [[progress(phases), ...listed(phases)]];
  return [...failures, ...sections].map((lines) => lines.join("\n")).join("\n\n");
}

function progress(phases: readonly TodoPhase[]): string {
  const total = phases.reduce((sum, { tasks }) => sum + tasks.length, 0);
  const open = openTasks(phases).length;
  return open === 0 ? "All tasks are finished." : `Open tasks: ${open} of ${total}.`;
}

/** A single phase needs no heading. */
function listed(phases: readonly TodoPhase[]): string[] {
  const rows = phases.flatMap(({ id, name, tasks }) => [
    ...(phases.length > 1 ? [`${oneLine(name)} (${id})`] : []),
    ...tasks.map(row),
  ]);
  return firstRows(rows);
}

function row({ id, status, content, details }: TodoItem): string {
  const line = `${MARKS[status]} ${id} ${oneLine(content)}`;
  if (status !== "in_progress" || details === undefined) return line;
  return `${line}\n${cutText(details, DETAILS_CHARS).replace(/^/gm, "    ")}`;
}
