import type { Timers } from "@pintle/foundation";
import type { TodoPhase } from "@pintle/wire";
import { isOpen } from "./todo-phases.ts";

interface ClearingOptions {
  timers: Pick<Timers, "now" | "start">;
  /** Called when a task is found finished; a negative value keeps it. */
  delaySeconds(): number;
  onDue(taskIds: ReadonlySet<string>): void;
}

/** Schedules when each finished task leaves the list. Tasks that are due at the same time leave together. */
export class ClearingSchedule {
  readonly #options: ClearingOptions;
  readonly #dueAt = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;

  constructor(options: ClearingOptions) {
    this.#options = options;
  }

  /** Follows a change of the list: newly finished tasks are scheduled, reopened or removed ones are not. */
  follow(phases: readonly TodoPhase[]): void {
    const finished = phases.flatMap(({ tasks }) => tasks.filter((task) => !isOpen(task)).map(({ id }) => id));
    const isFinished = new Set(finished);
    for (const id of this.#dueAt.keys()) if (!isFinished.has(id)) this.#dueAt.delete(id);
    const delaySeconds = finished.length > 0 ? this.#options.delaySeconds() : -1;
    if (delaySeconds >= 0) {
      const dueAt = this.#options.timers.now() + delaySeconds * 1000;
      for (const id of finished) if (!this.#dueAt.has(id)) this.#dueAt.set(id, dueAt);
    }
    this.#arm();
  }

  cancel(): void {
    this.#dueAt.clear();
    this.#arm();
  }

  #arm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#dueAt.size === 0) return;
    const wait = Math.min(...this.#dueAt.values()) - this.#options.timers.now();
    this.#cancelTimer = this.#options.timers.start(() => this.#ring(), Math.max(0, wait));
  }

  #ring(): void {
    const now = this.#options.timers.now();
    const due = new Set([...this.#dueAt].flatMap(([id, dueAt]) => (dueAt <= now ? [id] : [])));
    for (const id of due) this.#dueAt.delete(id);
    this.#arm();
    if (due.size > 0) this.#options.onDue(due);
  }
}
