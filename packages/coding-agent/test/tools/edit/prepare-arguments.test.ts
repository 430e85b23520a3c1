import { expect, test } from "bun:test";
import { prepareArguments } from "@pintle/agent";
import { createTool } from "../../../src/tools/define-tool.ts";
import { editTool } from "../../../src/tools/edit.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";

const tool = createTool(editTool, {} as ToolContext);

const PAIR = { oldText: "a", newText: "b" };
const USUAL = { path: "x", edits: [PAIR] };

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["the usual form stays", USUAL, USUAL],
  ["edits as JSON text", { path: "x", edits: JSON.stringify([PAIR]) }, USUAL],
  ["one edit instead of a list", { path: "x", edits: PAIR }, USUAL],
  ["one edit as JSON text", { path: "x", edits: JSON.stringify(PAIR) }, USUAL],
  ["texts beside the path", { path: "x", ...PAIR }, USUAL],
  ["texts beside the path, other names", { path: "x", old_string: "a", new_string: "b" }, USUAL],
  ["other names in the list", { path: "x", edits: [{ old_string: "a", new_string: "b" }] }, USUAL],
  [
    "a list and texts beside it",
    { ...USUAL, oldText: "c", newText: "d" },
    { path: "x", edits: [PAIR, { oldText: "c", newText: "d" }] },
  ],
  ["another name for the path", { file_path: "x", edits: [PAIR] }, USUAL],
  ["names of other tools", { filePath: "x", oldString: "a", newString: "b" }, USUAL],
  ["search and replace", { file: "x", changes: [{ search: "a", replace: "b" }] }, USUAL],
  [
    "all occurrences, beside the path",
    { file_path: "x", old_string: "a", new_string: "b", replace_all: true },
    { path: "x", edits: [{ ...PAIR, replaceAll: true }] },
  ],
  ["entries as JSON text", { path: "x", edits: [JSON.stringify(PAIR)] }, USUAL],
  [
    "JSON text with line breaks in its strings",
    { path: "x", edits: '[{"oldText": "a\n\t\\"b\\"", "newText": "c\n"}]' },
    { path: "x", edits: [{ oldText: 'a\n\t"b"', newText: "c\n" }] },
  ],
  ["a name that is there twice keeps the usual one", { path: "x", file: "y", edits: [PAIR] }, { ...USUAL, file: "y" }],
  ["what cannot be understood stays for validation", { path: "x", edits: "[broken" }, { path: "x", edits: "[broken" }],
  ["half a pair stays for validation", { path: "x", oldText: "a" }, { path: "x", oldText: "a" }],
  ["nothing at all", {}, {}],
])("%s", (_name, sent, expected) => {
  expect(prepareArguments(tool, sent)).toEqual(expected);
});
