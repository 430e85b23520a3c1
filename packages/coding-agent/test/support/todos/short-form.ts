import type { TodoPhase } from "@pintle/wire";

const MARKS = { pending: "○", in_progress: "→", completed: "✓", abandoned: "✗" };

/** Formats a list compactly: `phase-1 Build: →task-1 a, ○task-2 b`. */
export function shortForm(phases: readonly TodoPhase[]): string[] {
  return phases.map(({ id, name, tasks }) => {
    const items = tasks.map((task) => `${MARKS[task.status]}${task.id} ${task.content}`);
    return `${id} ${name}: ${items.join(", ")}`;
  });
}
