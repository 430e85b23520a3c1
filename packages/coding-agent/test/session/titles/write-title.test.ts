import { expect, test } from "bun:test";
import { titleIn } from "../../../src/session/titles/write-title.ts";

test.each([
  ["Fix the failing parser test", "Fix the failing parser test"],
  ['"Fix the parser."\n\nThis title names the task.', "Fix the parser"],
  ["\n## Title: **Fix the parser**\n", "Fix the parser"],
  ["„Den Parser reparieren“", "Den Parser reparieren"],
  ["x".repeat(80), `${"x".repeat(60)}…`],
  [" \n ", undefined],
  ['""', undefined],
] as const)("reads the title in %j", (reply, title) => {
  expect(titleIn(reply)).toBe(title);
});
