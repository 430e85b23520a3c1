import { describe, expect, test } from "bun:test";
import { withExtensions } from "../support/scenarios/extensions/with-extensions.ts";

// Tests packages inside the built program, which loads them when they are imported.

const SCHEMA = ["typebox", "typebox/type", "typebox/value", "typebox/compile", "typebox/schema"];
const OLDER = ["@sinclair/typebox", "@sinclair/typebox/value", "@sinclair/typebox/compiler"];
const OURS = ["pintle", "@f5-sales-demo/xcsh", "@oh-my-pi/pi-coding-agent"];
const THEIRS = ["@earendil-works", "@mariozechner"].flatMap((scope) =>
  ["pi-coding-agent", "pi-ai", "pi-tui", "pi-agent-core"].map((name) => `${scope}/${name}`),
);
const ALL = [...SCHEMA, ...OLDER, ...OURS, ...THEIRS];
const files = { "extensions/lib/required.cjs": "module.exports = (name) => require(name);" };

describe.each([
  ["import", `(name) => import(name)`],
  ["require", `(name) => require(name)`],
  ["require of CommonJS code", `(name) => require("./lib/required.cjs")(name)`],
])("%s", (_how, get) => {
  test("finds every package, each of them once", async () => {
    await using run = await withExtensions(
      `const get = ${get};
       const names = ${JSON.stringify(ALL)};
       for (const name of names) note(name, Object.keys(await get(name)).length);
       const { Type } = await get("typebox");
       note("same", [
         Type === pi.typebox.Type, Type === (await get("@sinclair/typebox")).Type, Type === (await get("pintle")).Type,
         (await get("typebox/value")).Value === (await get("@sinclair/typebox/value")).Value,
         (await get("pintle")).defineTool === (await get("@mariozechner/pi-coding-agent")).defineTool,
       ]);
       const schema = Type.Object({ n: Type.Number() });
       note("checks", [
         (await get("typebox/value")).Value.Check(schema, { n: 1 }),
         (await get("typebox/compile")).Compile(schema).Check({ n: "x" }),
         (await get("@sinclair/typebox/compiler")).TypeCompiler.Compile(schema).Check({ n: 1 }),
       ]);`,
      { files },
    );
    const notes = new Map<string, unknown>(run.notes());
    const empty = ALL.filter((name) => !name.endsWith("pi-agent-core") && !((notes.get(name) as number) > 0));
    expect(run.rpc.frames.filter(({ type }) => type === "extension_error")).toEqual([]);
    expect({ empty, same: notes.get("same"), checks: notes.get("checks") }).toEqual({
      empty: [],
      same: Array(5).fill(true),
      checks: [true, false, true],
    });
  });
});

test("importing a name that a package does not export fails with an error that names it", async () => {
  await using run = await withExtensions("", {
    files: { "extensions/wrong.ts": 'import { Nonsense } from "typebox"; export default () => Nonsense;' },
  });
  const fault = run.rpc.frames.find(({ type }) => type === "extension_error");
  const { error } = fault ?? (await run.rpc.until(({ type }) => type === "extension_error"));
  expect(error).toContain("Nonsense");
});
