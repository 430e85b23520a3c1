import type { RpcCore } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { isRecord } from "../text/is-record.ts";
import { truncated } from "../text/width.ts";
import { isOpen, type Phase, readPhases, type Task, taskLine, todoCounts } from "../tools/todo-lines.ts";

const MAX_TASKS = 6;

/** Keeps the todo list above the editor while it has open tasks. A key folds it to one line. */
export const todos: Feature = (app) => {
  let phases: Phase[] = [];
  let isFolded = false;
  const use = (value: unknown) => {
    phases = readPhases(value) ?? [];
    app.redraw();
  };
  const refresh = async (session: RpcCore) => use((await session.getState({ brief: true })).todoPhases);
  app.widgets.set("todos", (width) =>
    panel(app, phases, isFolded || app.questions.question !== undefined).map((line) => truncated(line, width)),
  );
  app.keys.on("foldTodos", () => {
    isFolded = !isFolded;
    app.redraw();
  });
  app.onSession((session) => {
    const renew = () => {
      refresh(session).catch((error) => app.report(error));
    };
    session.on("tool_execution_end", ({ result }) => {
      if (isRecord(result.details) && Array.isArray(result.details.phases)) use(result.details.phases);
    });
    session.on("todo_auto_clear", renew);
    session.on("session_info_changed", renew);
    session.on("leaf_moved", renew);
  });
  app.onReady(refresh);
};

function panel({ theme, keys }: App, phases: readonly Phase[], isFolded: boolean): string[] {
  const tasks = phases.flatMap((phase) => phase.tasks);
  if (!tasks.some(isOpen)) return [];
  const [key] = keys.keysOf("foldTodos");
  const hint = (does: string) => (key === undefined ? "" : ` (${key} ${does})`);
  const count = todoCounts(phases) ?? "";
  if (isFolded) {
    const current = tasks.find(({ status }) => status === "in_progress") ?? tasks.find(isOpen)!;
    return [`${taskLine(current, theme)}${theme.dim(` · ${count}${hint("unfolds")}`)}`];
  }
  const { shown, before, after } = aroundCurrent(tasks);
  return [
    `${theme.bold("Tasks")}${theme.dim(` · ${count}${hint("folds")}`)}`,
    ...(before > 0 ? [theme.dim(`  … ${before} before`)] : []),
    ...shown.map((task) => `  ${taskLine(task, theme)}`),
    ...(after > 0 ? [theme.dim(`  … ${after} more`)] : []),
  ];
}

/** Selects as many tasks as there is space for, starting with the one before the first open task. */
function aroundCurrent(tasks: readonly Task[]): { shown: readonly Task[]; before: number; after: number } {
  if (tasks.length <= MAX_TASKS) return { shown: tasks, before: 0, after: 0 };
  const first = Math.max(0, Math.min(tasks.findIndex(isOpen) - 1, tasks.length - MAX_TASKS));
  const shown = tasks.slice(first, first + MAX_TASKS);
  return { shown, before: first, after: tasks.length - first - shown.length };
}
