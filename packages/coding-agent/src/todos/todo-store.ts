import { backgroundTimers, type Timers } from "@pintle/foundation";
import type { TodoPhase } from "@pintle/wire";
import { ClearingSchedule } from "./clearing-schedule.ts";
import type { RestoredTodos } from "./restore-todos.ts";
import { NO_NUMBERS, numbersWith, type TodoNumbers } from "./todo-ids.ts";
import { applyTodoItems, type WrittenTodo } from "./todo-items.ts";
import { EMPTY_LIST, type TodoList, withoutTasks } from "./todo-list.ts";
import { applyTodoOps, type OpsResult, type TodoOp } from "./todo-ops.ts";

export interface TodoStoreOptions {
  /** How long a finished task is still shown; 0 means not at all, a negative value forever. */
  clearDelaySeconds(): number;
  /** Called once for all finished tasks that left the list together. */
  onAutoClear(): void;
  timers?: Pick<Timers, "now" | "start">;
}

/** The only owner of a session's todo list. */
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

  /** Never mutated once returned; a change creates a new list. */
  get phases(): TodoPhase[] {
    return this.#list.phases;
  }

  /** Replaces the list with one from outside, parsed by `parseTodoPhases`. Numbers of the old list are not reused. */
  replace(phases: TodoPhase[]): void {
    this.#begin(phases, this.#list.numbers);
  }

  /** Applies the model's changes; those that fail are reported and do not prevent the others. */
  applyOps(ops: readonly TodoOp[]): { phases: TodoPhase[]; errors: string[] } {
    return this.#apply(applyTodoOps(this.#list, ops));
  }

  /** Applies a whole list from the model. */
  applyItems(items: readonly WrittenTodo[]): { phases: TodoPhase[]; errors: string[] } {
    return this.#apply(applyTodoItems(this.#list, items));
  }

  #apply({ list, errors, isReplaced }: OpsResult): { phases: TodoPhase[]; errors: string[] } {
    if (isReplaced) this.#schedule.cancel();
    this.#set(list);
    return { phases: list.phases, errors };
  }

  /** Switches to the list of another session or branch. */
  restore({ phases, numbers }: RestoredTodos): void {
    this.#begin(phases, numbers);
  }

  /** Switches to an empty session. Also cancels scheduled changes, so call it before dropping the store. */
  clear(): void {
    this.#begin([], NO_NUMBERS);
  }

  /** Calls the listener after every change, including those of the host. Returns a function that unsubscribes. */
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
