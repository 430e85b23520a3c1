import type { Style, Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";

const SIGNS: Readonly<Record<string, string>> = { completed: "☑", in_progress: "▶", abandoned: "☒", pending: "☐" };

/** A todo list; undefined when it is none. The list comes from a tool's details and may be anything. */
export function todoLines(phases: unknown, theme: Theme): string[] | undefined {
  if (!Array.isArray(phases) || phases.length === 0) return undefined;
  return phases.flatMap((phase) => {
    const { name, tasks } = fields(phase);
    const rows = Array.isArray(tasks) ? tasks.map((task) => taskLine(fields(task), theme)) : [];
    return [...(phases.length > 1 ? [theme.bold(shownText(String(name ?? "")))] : []), ...rows];
  });
}

function taskLine({ status, content }: Readonly<Record<string, unknown>>, theme: Theme): string {
  const styles: Readonly<Record<string, Style>> = {
    completed: theme.dim,
    abandoned: theme.dim,
    in_progress: theme.accent,
  };
  const style = styles[String(status)] ?? ((text) => text);
  return style(`${SIGNS[String(status)] ?? SIGNS.pending} ${shownText(String(content ?? "")).replaceAll("\n", " ")}`);
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
