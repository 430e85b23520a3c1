import { expect, test } from "bun:test";
import { callLine } from "../../../src/modes/print/progress.ts";

test.each([
  ["bash", { command: "npm test" }, "bash npm test"],
  ["bash", { command: "cd src\nls", timeout: 5 }, "bash cd src …"],
  ["write", { path: "a.ts", content: "one\ntwo" }, "write a.ts"],
  ["grep", { pattern: "TODO", path: "src", ignoreCase: true }, "grep TODO src"],
  ["todo_write", { ops: [{ op: "done" }] }, "todo_write"],
  ["bash", { command: "" }, "bash"],
])("%s %j", (name, args, line) => {
  expect(callLine(name, args)).toBe(line);
});

test("nothing in it moves the cursor, hides or turns the text", () => {
  const line = callLine("ba\u001b[2Jsh", { command: "a\u001b]0;owned\u0007\rb\u202ec\u009bd\te" });
  expect(line).toBe("ba?[2Jsh a?]0;owned??b?c?d e");
});

test("a long argument is cut", () => {
  expect(callLine("bash", { command: "x".repeat(500) })).toBe(`bash ${"x".repeat(120)}…`);
});
