import { expect, test } from "bun:test";
import { eagerTodo } from "../../src/todos/eager-todo.ts";

const first = { text: "Port the parser.", hasEarlierPrompt: false, hasTodos: false, now: 5 };

test("the first request begins with a hidden note and a forced plan", () => {
  expect(eagerTodo(first)).toMatchObject({
    note: { role: "custom", customType: "eager-todo", display: false, timestamp: 5 },
    directive: { label: "eager-todo", choices: [{ name: "todo_write" }] },
  });
});

test.each([
  [{ text: "What is this? " }],
  [{ text: "Thanks!\n" }],
  [{ text: "  " }],
  [{ hasEarlierPrompt: true }],
  [{ hasTodos: true }],
])("not with %j", (change) => {
  expect(eagerTodo({ ...first, ...change })).toBeUndefined();
});
