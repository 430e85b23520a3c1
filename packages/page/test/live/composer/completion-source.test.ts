import { expect, test } from "bun:test";
import { readTyped } from "../../../src/live/composer/completion-source.ts";
import { readPageCommand } from "../../../src/live/composer/page-commands.ts";

test.each([
  ["/", { kind: "command", start: 0, query: "" }],
  ["/comp", { kind: "command", start: 0, query: "comp" }],
  ["/comp now", undefined],
  ["say /comp", undefined],
  ["@", { kind: "path", start: 0, query: "" }],
  ["look at @src/a", { kind: "path", start: 8, query: "src/a" }],
  ["(@a", { kind: "path", start: 1, query: "a" }],
  ["me@example.org", undefined],
  ["@a b", undefined],
] as const)("%p is completed as %p", (text, typed) => {
  expect(readTyped(text, text.length)).toEqual(typed);
});

test("ignores what follows the cursor", () => {
  expect(readTyped("/name x", 3)).toEqual({ kind: "command", start: 0, query: "na" });
});

test.each([
  ["/compact", ""],
  ["/compact keep\nthe plan ", "keep\nthe plan"],
  ["/unknown", undefined],
  ["/constructor", undefined],
  ["say /compact", undefined],
])("%p is a page command with the argument %p", (text, rest) => {
  expect(readPageCommand(text)?.rest).toBe(rest as string);
});
