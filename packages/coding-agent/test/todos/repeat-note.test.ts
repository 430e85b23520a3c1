import { expect, test } from "bun:test";
import type { Outcome } from "@pintle/agent";
import { repeatTodoCall } from "../../src/todos/repeat-note.ts";

type Result = Outcome["toolResults"][number];
const result = (text: string, rest: Partial<Result> = {}): Result => ({
  role: "toolResult",
  toolCallId: "1",
  toolName: "todo_write",
  content: [{ type: "text", text }],
  isError: true,
  timestamp: 1,
  ...rest,
});
const invalid = result('Validation failed for tool "todo_write":\n  - ops: expected array');
const after = (toolResult: Result, state: Outcome["state"] = "continues") =>
  repeatTodoCall({ message: {} as Outcome["message"], toolResults: [toolResult], state }, 7);

test("a call whose arguments could not be read is asked for again, out of sight", () => {
  const step = after(invalid);
  const message = step?.kind === "turn" ? step.messages[0] : undefined;
  expect(message).toMatchObject({ role: "custom", customType: "todo-repeat", display: false, timestamp: 7 });
  expect(after(result("Arguments are not valid JSON (…)"))).toBeDefined();
});

test.each<[string, Result, Outcome["state"]]>([
  ["a call that worked", result("Todo list cleared.", { isError: false }), "continues"],
  ["a call that was blocked", result("Tool execution was blocked"), "continues"],
  ["another tool", { ...invalid, toolName: "read" }, "continues"],
  ["a run that ends", invalid, "stops"],
])("gives no note about %s", (_what, toolResult, state) => {
  expect(after(toolResult, state)).toBeUndefined();
});
