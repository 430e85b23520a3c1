import type { Style, Theme } from "../screen/theme.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";

export interface Task {
  status: string;
  content: string;
}

export interface Phase {
  name: string;
  tasks: readonly Task[];
}

const SIGNS: Readonly<Record<string, string>> = { completed: "☑", in_progress: "▶", abandoned: "☒", pending: "☐" };
const CLOSED: ReadonlySet<string> = new Set(["completed", "abandoned"]);

/** Reads a todo list, which comes from a tool's details and may be anything. Returns undefined if it is not one. */
export function readPhases(phases: unknown): Phase[] | undefined {
  if (!Array.isArray(phases) || phases.length === 0) return undefined;
  return phases.map((phase) => {
    const { name, tasks } = isRecord(phase) ? phase : {};
    return { name: oneLine(name), tasks: Array.isArray(tasks) ? tasks.map(readTask) : [] };
  });
}

function readTask(task: unknown): Task {
  const { status, content } = isRecord(task) ? task : {};
  return { status: String(status), content: oneLine(content) };
}

const oneLine = (value: unknown) => shownText(String(value ?? "")).replaceAll("\n", " ");

export function isOpen({ status }: Task): boolean {
  return !CLOSED.has(status);
}

/** Returns how much of a todo list is done, or undefined if the value is not one. */
export function todoCounts(value: unknown): string | undefined {
  const tasks = readPhases(value)?.flatMap((phase) => phase.tasks);
  return tasks && `${tasks.filter((task) => !isOpen(task)).length} of ${tasks.length} done`;
}

export function taskLine({ status, content }: Task, theme: Theme): string {
  const styles: Readonly<Record<string, Style>> = {
    completed: theme.dim,
    abandoned: (text) => theme.dim(theme.strikethrough(text)),
    in_progress: theme.accent,
  };
  const style = styles[status] ?? ((text) => text);
  return style(`${SIGNS[status] ?? SIGNS.pending} ${content}`);
}
