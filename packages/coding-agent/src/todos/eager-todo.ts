import type { CustomMessage, ToolChoiceDirective } from "@pintle/agent";
import { TODO_TOOL } from "./restore-todos.ts";

export interface EagerTodo {
  /** Inserted before the user's message. */
  note: CustomMessage;
  /** Applies to the first model call. */
  directive: ToolChoiceDirective;
}

interface FirstPrompt {
  text: string;
  /** True if the user has already sent a message in this conversation. */
  hasEarlierPrompt: boolean;
  hasTodos: boolean;
  now: number;
}

const NOTE =
  `<note>\nBefore anything else, write the task list for the request with ${TODO_TOOL}: phases in the order of the work, each with ` +
  "a few tasks whose completion can be checked. Then work through it and keep it up to date.\n</note>";

/** With `todo.eager`, the first request of a conversation starts with a plan. A question or an exclamation needs none. */
export function eagerTodo({ text, hasEarlierPrompt, hasTodos, now }: FirstPrompt): EagerTodo | undefined {
  const isTask = text.trim() !== "" && !/[?!]$/.test(text.trimEnd());
  if (!isTask || hasEarlierPrompt || hasTodos) return undefined;
  return {
    note: {
      role: "custom",
      customType: "eager-todo",
      content: NOTE,
      display: false,
      attribution: "agent",
      timestamp: now,
    },
    directive: { label: "eager-todo", choices: [{ name: TODO_TOOL }] },
  };
}
