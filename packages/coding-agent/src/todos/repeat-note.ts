import type { NextStep, Outcome } from "@pintle/agent";
import { TODO_TOOL } from "./restore-todos.ts";

/** How the loop starts the message about invalid arguments. */
const UNREADABLE = /^(?:Validation failed for tool|Arguments (?:are not|must be))/;

/** A list that could not be read is lost unless the model sends it again, so a hidden note asks for it. */
export function repeatTodoCall({ toolResults, state }: Outcome, now: number): NextStep | undefined {
  const isLost = toolResults.some(
    ({ toolName, isError, content: [first] }) =>
      toolName === TODO_TOOL && isError && first?.type === "text" && UNREADABLE.test(first.text),
  );
  if (!isLost || state !== "continues") return undefined;
  const content =
    `<note>\nThe todo list was not changed: the arguments of ${TODO_TOOL} were invalid. Correct them as its result says and call ` +
    "it again before you continue.\n</note>";
  return {
    kind: "turn",
    messages: [
      { role: "custom", customType: "todo-repeat", content, display: false, attribution: "agent", timestamp: now },
    ],
  };
}
