import type { AgentMessage, NextStep, Outcome } from "@pintle/agent";
import { type AssistantMessage, textsOf } from "@pintle/ai";
import type { TodoItem, TodoPhase } from "@pintle/wire";
import { firstRows, oneLine, openTasks } from "./todo-lines.ts";
import { isOpen } from "./todo-phases.ts";

export interface TodoReminderEvent {
  type: "todo_reminder";
  todos: Pick<TodoItem, "id" | "content" | "status">[];
  attempt: number;
  maxAttempts: number;
}

export interface TodoReminderDeps {
  phases(): readonly TodoPhase[];
  /** How often to remind after one prompt; 0 if reminders are disabled. */
  maxAttempts(): number;
  /** True if the next step is not the model's: a preview is pending, or a background job will wake the agent. */
  isWaiting(): boolean;
  emit(event: TodoReminderEvent): void;
  now(): number;
}

export interface TodoReminder {
  /** Call it for every outcome, even those that other policies have handled: it counts what was done since the last reminder. */
  next(outcome: Outcome): NextStep | undefined;
  /** Called when the user has sent a prompt. */
  reset(): void;
}

/** Label of a directive with which the user chose the tool of a turn. The user wanted only that, so there is no reminder. */
const USER_FORCED = "user-force";

/** Reminds a model that stops with open tasks, a limited number of times and only while reminders make it continue. */
export function todoReminder(deps: TodoReminderDeps): TodoReminder {
  let attempts = 0;
  let hasWorked = false;

  const isDue = ({ message, state, choiceLabel }: Outcome) =>
    state === "stops" &&
    message.stopReason === "stop" &&
    !message.content.some(({ type }) => type === "toolCall") &&
    choiceLabel !== USER_FORCED &&
    attempts < deps.maxAttempts() &&
    (attempts === 0 || hasWorked) &&
    !deps.isWaiting() &&
    !asksUser(textOf(message));

  return {
    next(outcome) {
      const open = openTasks(deps.phases());
      if (open.length === 0) attempts = 0;
      hasWorked ||= outcome.toolResults.length > 0;
      if (open.length === 0 || !isDue(outcome)) return undefined;
      attempts += 1;
      hasWorked = false;
      const maxAttempts = deps.maxAttempts();
      const todos = open.map(({ id, content, status }) => ({ id, content, status }));
      deps.emit({ type: "todo_reminder", todos, attempt: attempts, maxAttempts });
      return { kind: "turn", messages: [reminder(deps, attempts, maxAttempts)] };
    },
    reset() {
      attempts = 0;
      hasWorked = false;
    },
  };
}

function reminder(deps: TodoReminderDeps, attempt: number, maxAttempts: number): AgentMessage {
  const rows = deps
    .phases()
    .filter(({ tasks }) => tasks.some(isOpen))
    .flatMap(({ name, tasks }) => [
      `${oneLine(name)}:`,
      ...tasks.filter(isOpen).map(({ id, status, content }) => `- ${id} [${status}] ${oneLine(content)}`),
    ]);
  const content = [
    `You stopped while tasks on your todo list are open (reminder ${attempt} of ${maxAttempts}):`,
    "",
    ...firstRows(rows),
    "",
    "Continue with them. If a task is already done or no longer needed, set it to completed or abandoned with todo_write.",
  ].join("\n");
  return { role: "developer", content, attribution: "agent", timestamp: deps.now() };
}

function textOf({ content }: AssistantMessage): string {
  return textsOf(content).join("\n");
}

/** What may follow the question mark at the end of a question. */
const CLOSING = /[\s*_`"'”’)\]]+$/;
const QUESTION = /[?？؟]$/;

/** Requests for an answer that are not questions: "please confirm", "let me know which one". */
const REQUEST =
  /\b(?:please|kindly)\s+(?:confirm|choose|pick|select|reply|respond|answer|decide|clarify|specify|advise|provide|tell|let)\b|\b(?:let me know|tell me (?:which|what|whether|if|how|when)|(?:awaiting|waiting for) your|reply with|say the word)\b|^(?:confirm|choose|pick|reply|respond)\b/i;

/** Returns whether this answer ends by asking the user for something, so that the user is next. */
export function asksUser(text: string): boolean {
  const lastLine = text.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return QUESTION.test(lastLine.replace(CLOSING, "")) || REQUEST.test(lastLine);
}
