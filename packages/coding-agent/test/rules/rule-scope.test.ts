import { expect, test } from "bun:test";
import { parseScope, type WatchedStream } from "../../src/rules/rule-scope.ts";

const text: WatchedStream = { kind: "text" };
const thinking: WatchedStream = { kind: "thinking" };
const edit: WatchedStream = { kind: "tool", toolName: "edit", paths: ["/w/src/a.ts", "src/a.ts", "a.ts"] };
const bash: WatchedStream = { kind: "tool", toolName: "bash", paths: [] };
const ALL = { text, thinking, edit, bash };

test.each<[string[], string[], string[]]>([
  [[], [], ["text", "edit", "bash"]],
  [["text"], [], ["text"]],
  [["thinking", "text"], [], ["text", "thinking"]],
  [["tool"], [], ["edit", "bash"]],
  [["toolcall"], [], ["edit", "bash"]],
  [["tool:edit"], [], ["edit"]],
  [["bash"], [], ["bash"]],
  [["toolcall:bash"], [], ["bash"]],
  [["edit(*.ts)"], [], ["edit"]],
  [["tool(src/**)"], [], ["edit"]],
  [["tool:edit(/w/src/*.ts)"], [], ["edit"]],
  [["edit(*.js)"], [], []],
  [["bash(*.ts)"], [], []],
  [["edit(*.{js,ts})", "bash"], [], ["edit", "bash"]],
  [[], ["*.ts"], ["text", "edit"]],
  [[], ["*.js"], ["text"]],
  [["tool"], ["*.js", "src/*"], ["edit"]],
  [["edit(*.ts)"], ["lib/**"], []],
])("scope %j, globs %j: %j", (tokens, globs, expected) => {
  const warnings: string[] = [];
  const scope = parseScope(tokens, globs, (warning) => warnings.push(warning))!;
  expect(Object.entries(ALL).flatMap(([name, stream]) => (scope.matches(stream) ? [name] : []))).toEqual(expected);
  expect(warnings).toEqual([]);
});

test.each(["glob", "tool:glob", "toolcall:Find", "find"])("%s is the family's name of a tool", (token) => {
  const find: WatchedStream = { kind: "tool", toolName: "find", paths: [] };
  expect([find, bash].map((stream) => parseScope([token], [], () => {})?.matches(stream))).toEqual([true, false]);
});

test("a tool of an extension may have a name of the family", () => {
  const search: WatchedStream = { kind: "tool", toolName: "search", paths: [] };
  expect(parseScope(["search"], [], () => {})?.matches(search)).toBe(true);
});

test("unknown tokens are named, and a scope without a known one is ignored", () => {
  const warnings: string[] = [];
  const warn = (warning: string) => warnings.push(warning);
  expect(parseScope(["text:foo", "text"], [], warn)?.matches(text)).toBe(true);
  expect(parseScope(["two words", "text(*.ts)", "()"], [], warn)).toBeUndefined();
  expect(warnings).toEqual(["text:foo", "two words", "text(*.ts)", "()"].map((token) => `unknown scope "${token}"`));
});
