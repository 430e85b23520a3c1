import type { AgentMessage, Clock, Next } from "@pintle/agent";
import { SessionError, type SessionManager } from "@pintle/storage";
import type { AgentSessionEvent, TodoPhase } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import { eagerTodo } from "../../todos/eager-todo.ts";
import { hasUnreportedPlan, planNote } from "../../todos/host-plan.ts";
import { parseTodoPhases } from "../../todos/parse-todo-phases.ts";
import { repeatTodoCall } from "../../todos/repeat-note.ts";
import { restoreTodos, TODO_EDIT_TYPE } from "../../todos/restore-todos.ts";
import { type TodoReminder, todoReminder } from "../../todos/todo-reminder.ts";
import { TodoStore } from "../../todos/todo-store.ts";
import type { PromptAddition, RunPolicy } from "./policy.ts";

export interface SessionTodosParts {
  settings: Settings;
  clock: Clock;
  manager(): SessionManager;
  emit(event: AgentSessionEvent): void;
  /** Whether a preview waits for its decision, which comes first. */
  isWaiting(): boolean;
}

/** The todo list of the open session. The model's tool, the host and the conversation's history all use it. */
export class SessionTodos implements RunPolicy {
  readonly name = "todos";
  readonly store: TodoStore;
  readonly #parts: SessionTodosParts;
  readonly #reminder: TodoReminder;
  /** Whether a host has set a list that the model may not know yet. */
  #isUnreported = false;

  constructor(parts: SessionTodosParts) {
    const { settings, emit, clock } = parts;
    this.#parts = parts;
    this.store = new TodoStore({
      clearDelaySeconds: () => settings.get("tasks.todoClearDelay"),
      onAutoClear: () => emit({ type: "todo_auto_clear" }),
    });
    this.#reminder = todoReminder({
      phases: () => this.store.phases,
      maxAttempts: () =>
        settings.get("todo.enabled") && settings.get("todo.reminders") ? settings.get("todo.reminders.max") : 0,
      isWaiting: parts.isWaiting,
      emit,
      now: clock.now,
    });
    this.restore();
  }

  readonly next: Next = async (outcome) => {
    const reminder = this.#reminder.next(outcome); // must receive every turn
    return repeatTodoCall(outcome, this.#parts.clock.now()) ?? reminder;
  };

  onPrompt(text: string, earlier: readonly AgentMessage[]): PromptAddition {
    const { settings, clock } = this.#parts;
    this.#reminder.reset();
    if (!settings.get("todo.enabled")) return {};
    const plan = this.#takeUnreportedPlan();
    if (plan) return { before: [plan] };
    if (!settings.get("todo.eager")) return {};
    const eager = eagerTodo({
      text,
      hasEarlierPrompt: earlier.some(({ role }) => role === "user"),
      hasTodos: this.store.phases.length > 0,
      now: clock.now(),
    });
    return eager ? { before: [eager.note], directive: eager.directive } : {};
  }

  #takeUnreportedPlan(): AgentMessage | undefined {
    const { manager, clock } = this.#parts;
    const mayBeUnreported = this.#isUnreported && this.store.phases.length > 0; // an empty plan has no note
    const isUnreported = mayBeUnreported && hasUnreportedPlan(manager().path());
    this.#isUnreported = false;
    return isUnreported ? planNote(this.store.phases, clock.now()) : undefined;
  }

  /** Replaces the list with one from a host. It is stored, so that it survives a change of branch. */
  set(value: unknown): TodoPhase[] {
    const parsed = parseTodoPhases(value);
    if ("field" in parsed) {
      throw new SessionError("invalid_request", `Invalid set_todos: ${parsed.field} must be ${parsed.mustBe}`);
    }
    this.store.replace(parsed.phases);
    this.#isUnreported = true;
    this.#parts.manager().appendCustom(TODO_EDIT_TYPE, { phases: parsed.phases });
    return this.store.phases;
  }

  restore(): void {
    const path = this.#parts.manager().path();
    this.store.restore(restoreTodos(path));
    this.#isUnreported = true; // reported with the next prompt
  }

  close(): void {
    this.store.clear();
  }
}
