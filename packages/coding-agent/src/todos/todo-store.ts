import type { TodoPhase } from "@pintle/wire";
import { backgroundTimers, type Timers } from "../async/timers.ts";
import { ClearingSchedule } from "./clearing-schedule.ts";
import type { RestoredTodos } from "./restore-todos.ts";
import { NO_NUMBERS, numbersWith, type TodoNumbers } from "./todo-ids.ts";
import { EMPTY_LIST, type TodoList, withoutTasks } from "./todo-list.ts";
import { applyTodoOps, type TodoOp } from "./todo-ops.ts";

export interface TodoStoreOptions {
  /** How long a finished task is still shown; 0 = not at all, negative = for ever. */
  clearDelaySeconds(): number;
  /** Finished tasks have left the list. Once for all that left together. */
  onAutoClear(): void;
  timers?: Pick<Timers, "now" | "start">;
}

/** The one owner of a session's todo list. */
export class TodoStore {
  readonly #options: TodoStoreOptions;
  readonly #schedule: ClearingSchedule;
  readonly #listeners = new Set<(phases: TodoPhase[]) => void>();
  #list: TodoList = EMPTY_LIST;

  constructor(options: TodoStoreOptions) {
    this.#options = options;
    this.#schedule = new ClearingSchedule({
      timers: options.timers ?? backgroundTimers,
      delaySeconds: options.clearDelaySeconds,
      onDue: (taskIds) => {
        this.#set(withoutTasks(this.#list, taskIds));
        this.#options.onAutoClear();
      },
    });
  }

  /** Never changed once it was handed out; a change makes a new list. */
  get phases(): TodoPhase[] {
    return this.#list.phases;
  }

  /** A list from outside, as `parseTodoPhases` gives it. Numbers of the old one are not given again. */
  replace(phases: TodoPhase[]): void {
    this.#begin(phases, this.#list.numbers);
  }

  /** The model's changes; those that cannot be made are named and do not keep the others. */
  applyOps(ops: readonly TodoOp[]): { phases: TodoPhase[]; errors: string[] } {
    const { list, errors, isReplaced } = applyTodoOps(this.#list, ops);
    if (isReplaced) this.#schedule.cancel();
    this.#set(list);
    return { phases: list.phases, errors };
  }

  /** Another session or branch: its list takes the place of this one. */
  restore({ phases, numbers }: RestoredTodos): void {
    this.#begin(phases, numbers);
  }

  /** Another, empty session. Also ends what would still happen to the list, so call it before letting go of the store. */
  clear(): void {
    this.#begin([], NO_NUMBERS);
  }

  /** Called after every change, also those of the host. The answer ends that. */
  subscribe(listener: (phases: TodoPhase[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #begin(phases: TodoPhase[], numbers: TodoNumbers): void {
    this.#schedule.cancel();
    this.#set({ phases, numbers: numbersWith(numbers, phases), cleared: [] });
  }

  #set(list: TodoList): void {
    this.#list = list;
    this.#schedule.follow(list.phases);
    for (const listener of this.#listeners) listener(list.phases);
  }
}
