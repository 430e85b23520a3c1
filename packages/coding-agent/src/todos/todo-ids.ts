import type { TodoPhase } from "@pintle/wire";

type Kind = "phase" | "task";

/** The highest numbers used so far. They survive the removal of their tasks, so that no id is reused. */
export type TodoNumbers = Readonly<Record<Kind, number>>;

export const NO_NUMBERS: TodoNumbers = { phase: 0, task: 0 };

/** Hosts may choose any ids. Larger numbers are ignored, so that counting cannot overflow. */
const MAX_COUNTED = 1_000_000_000;

function numberOf(id: string, kind: Kind): number {
  const number = id.startsWith(`${kind}-`) ? Number(id.slice(kind.length + 1)) : 0;
  return Number.isInteger(number) && number > 0 && number <= MAX_COUNTED ? number : 0;
}

/** Returns the numbers in use once this list exists. */
export function numbersWith(numbers: TodoNumbers, phases: readonly TodoPhase[]): TodoNumbers {
  let { phase, task } = numbers;
  for (const { id, tasks } of phases) {
    phase = Math.max(phase, numberOf(id, "phase"));
    for (const item of tasks) task = Math.max(task, numberOf(item.id, "task"));
  }
  return { phase, task };
}

/** Returns the next free `phase-<n>` or `task-<n>`. */
export class TodoIds {
  readonly #last: Record<Kind, number>;
  readonly #isTaken: (kind: Kind, id: string) => boolean;

  constructor(numbers: TodoNumbers, isTaken: (kind: Kind, id: string) => boolean) {
    this.#last = { ...numbers };
    this.#isTaken = isTaken;
  }

  get numbers(): TodoNumbers {
    return { ...this.#last };
  }

  next(kind: Kind): string {
    for (;;) {
      this.#last[kind] += 1;
      const id = `${kind}-${this.#last[kind]}`;
      if (!this.#isTaken(kind, id)) return id;
    }
  }
}
