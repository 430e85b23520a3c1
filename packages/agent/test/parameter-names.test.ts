import { expect, test } from "bun:test";
import { Type } from "typebox";
import type { ParameterNames } from "../src/parameter-names.ts";
import { validateArguments } from "../src/validate-arguments.ts";
import { makeTool } from "./support/tools.ts";

const parameters = Type.Object({
  path: Type.String(),
  ignoreCase: Type.Optional(Type.Boolean()),
  edits: Type.Optional(Type.Array(Type.Object({ oldText: Type.String() }))),
});

const NAMES: ParameterNames = {
  aliases: {
    file_path: "path",
    "-i": "ignoreCase",
    range: (value) => (value === "all" ? {} : undefined),
    twice: (value, args) => ({ path: `${String(value)}${String(args.other ?? "")}` }),
  },
  accepted: ["description"],
  items: { edits: { aliases: { old_string: "oldText" } } },
};

const tool = (unknownParameters?: "note" | "refuse", parameterNames: ParameterNames | undefined = NAMES) =>
  makeTool("read", undefined, {
    parameters,
    parameterNames,
    ...(unknownParameters && { unknownParameters }),
  });

test.each<[string, object, object]>([
  ["an alias", { file_path: "a" }, { path: "a" }],
  ["an alias in other capitals", { filePath: "a" }, { path: "a" }],
  ["an option", { path: "a", "-i": true }, { path: "a", ignoreCase: true }],
  ["a declared name in other capitals", { Path: "a", ignore_case: true }, { path: "a", ignoreCase: true }],
  ["an alias inside a list", { path: "a", edits: [{ old_string: "x" }] }, { path: "a", edits: [{ oldText: "x" }] }],
  ["an alias with the value of the declared name", { path: "a", file_path: "a" }, { path: "a" }],
  ["a value that means nothing", { path: "a", range: "all" }, { path: "a" }],
  ["an accepted name", { path: "a", description: "why" }, { path: "a", description: "why" }],
  ["null under an unknown name", { path: "a", foo: null }, { path: "a", foo: null }],
])("%s is understood", (_, sent, args) => {
  expect(validateArguments(tool(), { ...sent })).toEqual({ ok: true, args: { ...args } });
});

test("an unknown name is noted", () => {
  expect(validateArguments(tool("note"), { path: "a", foo: 1 })).toEqual({
    ok: true,
    args: { path: "a", foo: 1 },
    note: '[Ignored: "foo" is not a parameter of read (path, ignoreCase, edits).]',
  });
  expect(
    validateArguments(tool("note"), { path: "a", "-I": true, range: "some", edits: [{ oldText: "x", y: 1 }] }),
  ).toMatchObject({
    note: '[Ignored: "edits[].y", "-I", "range" are not parameters of read (path, ignoreCase, edits).]',
  });
});

test("an alias never overrides a declared name", () => {
  expect(validateArguments(tool("note"), { file_path: "b", path: "a" })).toMatchObject({
    args: { path: "a" },
    note: expect.stringContaining('"file_path" is not a parameter'),
  });
});

test("an unknown name refuses the call by default", () => {
  const refused = validateArguments(tool(), { path: "a", foo: 1 });
  expect(refused).toEqual({
    ok: false,
    text: `Validation failed for tool "read":
  - root: "foo" is not a parameter of read (path, ignoreCase, edits)

Received arguments:
{
  "path": "a",
  "foo": 1
}`,
  });
});

test("a call that fails anyway lists unknown names", () => {
  const refused = validateArguments(tool("note"), { pth: "a" });
  expect(refused).toMatchObject({ ok: false, text: expect.stringContaining('"pth" is not a parameter of read') });
});

test("a tool without parameter names follows its schema alone", () => {
  const plain = makeTool("host", undefined, { parameters });
  expect(validateArguments(plain, { path: "a", foo: 1 })).toEqual({ ok: true, args: { path: "a", foo: 1 } });
});
