import { expect, test } from "bun:test";
import type { SessionEntry } from "@pintle/wire";
import { hasSeenFile } from "../../../src/session/tools/seen-files.ts";

const CWD = "/nowhere/project";

function call(id: string, name: string, args: unknown): SessionEntry {
  return entry({ role: "assistant", content: [{ type: "toolCall", id, name, arguments: args }] });
}

function result(id: string, isError = false): SessionEntry {
  return entry({ role: "toolResult", toolCallId: id, toolName: "x", content: [], isError });
}

function entry(message: object): SessionEntry {
  return { type: "message", id: "e", parentId: null, timestamp: "", message } as never;
}

test.each<[string, SessionEntry[], boolean]>([
  ["nothing happened", [], false],
  ["it was read", [call("1", "read", { path: "src/a.ts" }), result("1")], true],
  ["it was read by its absolute path", [call("1", "read", { path: `${CWD}/src/a.ts` }), result("1")], true],
  ["it was read with a mark before its name", [call("1", "read", { path: "@./src/a.ts" }), result("1")], true],
  ["it was written", [call("1", "write", { path: "src/a.ts", content: "" }), result("1")], true],
  ["it was edited", [call("1", "edit", { file_path: "src/a.ts", edits: [] }), result("1")], true],
  ["reading it failed", [call("1", "read", { path: "src/a.ts" }), result("1", true)], false],
  ["it is being written", [call("1", "write", { path: "src/a.ts", content: "" })], false],
  ["a namesake was read", [call("1", "read", { path: "a.ts" }), result("1")], false],
  ["it was searched", [call("1", "grep", { path: "src/a.ts", pattern: "x" }), result("1")], false],
  ["the model named something that is no path", [call("1", "read", { path: "a\nb" }), result("1")], false],
  ["the path is no text", [call("1", "read", { path: 5 }), result("1")], false],
  ["a message holds anything", [entry({ role: "assistant", content: "text" }), entry({ role: "x" })], false],
])("when %s", (_, history, expected) => {
  expect(hasSeenFile(`${CWD}/src/a.ts`, history, CWD)).toBe(expected);
});
