import { afterEach, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "@pintle/agent";
import type { CustomToolBinding } from "../../../src/extensibility/custom-tools/custom-tool-api.ts";
import type { PendingActionInput } from "../../../src/previews/pending-action.ts";
import { fakeContext, loadTools, testCall, toolModule } from "../../support/extensibility/custom-tools/loading.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

const SAMPLE = join(import.meta.dir, "../../fixtures/custom-tools/batch-rename-preview.ts.txt");
const NO_STORE = "Pending action store unavailable for custom tools in this runtime.";

/** Resolves when the condition holds. */
async function until(what: string, isMet: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !isMet(); await Bun.sleep(5)) {
    if (Date.now() > end) throw new Error(`timed out: ${what}`);
  }
}

/** State that a test shares with its modules. */
const meeting: Record<string, unknown> = {};
Object.assign(globalThis, { __customToolTest: meeting });

afterEach(() => {
  for (const key of Object.keys(meeting)) delete meeting[key];
});

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content.map(({ text }) => text).join();
}

function only(tools: readonly { tool: Tool }[]): Tool {
  expect(tools.length).toBe(1);
  return tools[0]!.tool;
}

describe("the documented sample", () => {
  test("loads unmodified, stages, and its action can be applied and discarded", async () => {
    using folder = moduleFolder();
    const file = join(folder.path, "batch-rename-preview.ts");
    copyFileSync(SAMPLE, file);
    const binding: Partial<CustomToolBinding> = { context: fakeContext() };
    const { tools, errors } = await loadTools(folder.path, [file], { binding });
    expect(errors).toEqual([]);
    const tool = only(tools);
    expect(tool).toMatchObject({ name: "batch_rename_preview", label: "Batch Rename Preview" });
    expect(tool.parameters).toEqual({
      type: "object",
      required: ["files"],
      properties: { files: { type: "array", items: { type: "string" } } },
    });

    await expect(tool.execute({ files: ["a"] }, testCall())).rejects.toThrow(NO_STORE);
    const staged: PendingActionInput[] = [];
    binding.pushPendingAction = (action) => void staged.push(action);
    const result = await tool.execute({ files: ["a", "b"] }, testCall());
    expect(textOf(result)).toBe("Prepared rename plan for 2 files. Call resolve to apply or discard.");
    expect(staged.map(({ label, sourceToolName }) => [label, sourceToolName])).toEqual([
      ["Batch rename: 2 files", "batch_rename_preview"],
    ]);
    expect(textOf(await staged[0]!.apply("looks right"))).toBe("Applied batch rename. Reason: looks right");
    expect(textOf(await staged[0]!.reject!("not now"))).toBe("Discarded batch rename. Reason: not now");
  });
});

describe("a module that cannot be loaded", () => {
  const CASES: readonly (readonly [string, string, string])[] = [
    ["syntax", "export default (;", "Import failed: "],
    ["throws while it is imported", "throw new Error('broken inside')", "Import failed: broken inside"],
    [
      "throws something odd",
      "throw { toString() { throw 1 } }",
      "Import failed: it threw a value that cannot be shown",
    ],
    [
      "missing file",
      "import './not-there.ts'; export default () => []",
      "Import failed: Cannot find module './not-there.ts'",
    ],
    [
      "unknown export",
      "import { nope } from 'pintle'; export default () => nope",
      "Import failed: Export named 'nope' not found",
    ],
    ["ends the process", "process.exit(3)", "Import failed: process.exit is not available to modules"],
    ["no default export", "export const tool = () => []", "No function exported"],
    ["object exported", "export default { name: 'x' }", "No function exported"],
    ["factory throws", "export default () => { throw new Error('factory fault') }", "Factory threw: factory fault"],
    ["factory rejects", "export default async () => { throw 'a string' }", "Factory threw: a string"],
    [
      "stages too early",
      "export default (pi) => { pi.pushPendingAction({ label: 'x', apply() {} }) }",
      `Factory threw: ${NO_STORE}`,
    ],
    [
      "starts a program too early",
      "export default async (pi) => { await pi.exec('true') }",
      "Factory threw: No program can be started",
    ],
    [
      "changes the shared object",
      "export default (pi) => { pi.exec = null }",
      "Factory threw: Attempted to assign to readonly property",
    ],
    ["returns nothing", "export default () => {}", "Not a tool: undefined"],
    ["returns a name", "export default () => 'x'", "Not a tool: string"],
    ["returns null", "export default () => [null]", "Not a tool: null"],
    ["no name", "export default () => ({})", "Not a tool: it has no name"],
    ["bad name", toolModule("has blank"), 'Invalid tool name "has blank": only letters'],
    ["long name", toolModule("x".repeat(65)), "Invalid tool name"],
    ["no label", toolModule("x", "label: '', execute() {}"), 'Not a tool: "x" has no label'],
    ["no description", toolModule("x", "description: ' ', execute() {}"), 'Not a tool: "x" has no description'],
    ["no execute", toolModule("x", "execute: 1"), 'Not a tool: "x" has no execute function'],
    ["odd onSession", toolModule("x", "execute() {}, onSession: 1"), 'Not a tool: onSession of "x" is not a function'],
    [
      "getter throws",
      toolModule("x", "get execute() { throw new Error('gotcha') }"),
      "Not a tool: reading it failed: gotcha",
    ],
    [
      "no schema",
      toolModule("x", "execute() {}, parameters: undefined"),
      'Invalid schema of tool "x": parameters must be a JSON Schema object',
    ],
    [
      "list as schema",
      toolModule("x", "execute() {}, parameters: []"),
      'Invalid schema of tool "x": parameters must be',
    ],
    [
      "schema of a string",
      toolModule("x", "execute() {}, parameters: pi.typebox.Type.String()"),
      'Invalid schema of tool "x": parameters must describe an object',
    ],
    [
      "unknown type",
      toolModule("x", "execute() {}, parameters: { properties: { a: { type: 'text' } } }"),
      'Invalid schema of tool "x": unknown type "text" at /properties/a/type',
    ],
    [
      "lost reference",
      toolModule("x", "execute() {}, parameters: { $ref: '#/$defs/gone' }"),
      'Invalid schema of tool "x": unresolvable $ref',
    ],
    [
      "schema in circles",
      `const s = {}; s.properties = { s }; ${toolModule("x", "execute() {}, parameters: s")}`,
      'Invalid schema of tool "x": ',
    ],
  ];

  test.each(CASES)("%s", async (_, source, error) => {
    using folder = moduleFolder();
    const good = folder.write("good.ts", toolModule("good"));
    const bad = folder.write("bad.ts", source);
    const { tools, errors } = await loadTools(folder.path, [bad, good]);
    expect(tools.map(({ tool, path }) => [tool.name, path])).toEqual([["good", good]]);
    expect(errors.map(({ path }) => path)).toEqual([bad]);
    expect(errors[0]!.error).toStartWith(error);
  });

  test("a syntax error includes its position", async () => {
    using folder = moduleFolder();
    const bad = folder.write("bad.ts", "\n\nexport default (;");
    const { errors } = await loadTools(folder.path, [bad]);
    expect(errors[0]!.error).toStartWith(`Import failed: ${bad}:3:`);
  });

  test("a long message is truncated", async () => {
    using folder = moduleFolder();
    const bad = folder.write("bad.ts", "throw new Error('x'.repeat(1e6))");
    const { errors } = await loadTools(folder.path, [bad]);
    expect(errors[0]!.error.length).toBeLessThan(3_000);
  });
});

describe("names", () => {
  test("the first module keeps a name; other tools of the second one are still added", async () => {
    using folder = moduleFolder();
    const two =
      "export default (pi) => ['shared', 'own'].map((name) => ({ name, label: 'L', description: 'd', parameters: {}, execute() {} }))";
    const first = folder.write("first.ts", toolModule("shared"));
    const second = folder.write("second.ts", two);
    const third = folder.write("third.ts", toolModule("read"));
    const { tools, errors } = await loadTools(folder.path, [first, second, third], {
      isTaken: (name) => name === "read",
    });
    expect(tools.map(({ tool, path }) => [tool.name, path])).toEqual([
      ["shared", first],
      ["own", second],
    ]);
    expect(errors).toEqual([
      { path: second, error: `Tool name "shared" is taken by ${first}` },
      { path: third, error: 'Tool name "read" is already used by a tool that is not a custom tool' },
    ]);
  });
});

describe("order and time", () => {
  test("tools are added in module order, not in the order they finish loading", async () => {
    using folder = moduleFolder();
    const order: string[] = [];
    meeting.done = (name: string) => order.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(meeting, { quickIsDone: promise, resolve });
    const slow = folder.write("a.ts", `await globalThis.__customToolTest.quickIsDone; ${toolModule("slow")}`);
    const quick = folder.write("b.ts", `globalThis.__customToolTest.resolve(); ${toolModule("quick")}`);
    const { tools } = await loadTools(folder.path, [slow, quick]);
    expect(tools.map(({ tool }) => tool.name)).toEqual(["slow", "quick"]);
  });

  test("a module that hangs does not delay the others forever; a late one is added, and both outcomes are reported", async () => {
    using folder = moduleFolder();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    Object.assign(meeting, { gate, heard: [] });
    const hangs = folder.write("hangs.ts", "await new Promise(() => {}); export default () => []");
    const late = folder.write(
      "late.ts",
      `await globalThis.__customToolTest.gate; ${toolModule("late", "execute() {}, onSession: (event) => globalThis.__customToolTest.heard.push(event.reason)")}`,
    );
    const early = folder.write("early.ts", toolModule("early"));
    const { set, errors, names } = await loadTools(folder.path, [hangs, late, early], {
      limits: { readyMs: 1_000, giveUpMs: 2_000 },
      binding: { context: fakeContext() },
    });
    expect(names()).toEqual(["early"]);
    expect(errors).toEqual([]);
    set.begin();
    open();
    await until("both modules have ended", () => errors.length > 0 && names().length > 1);
    expect(errors).toEqual([{ path: hangs, error: "Still loading after 2 s" }]);
    expect(names()).toEqual(["late", "early"]);
    expect(meeting.heard).toEqual(["start"]);
  });

  test("a late tool cannot use a name that was taken in the meantime", async () => {
    using folder = moduleFolder();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    meeting.gate = gate;
    const late = folder.write("late.ts", `await globalThis.__customToolTest.gate; ${toolModule("wanted")}`);
    const early = folder.write("early.ts", toolModule("wanted"));
    const { errors, set } = await loadTools(folder.path, [late, early], { limits: { readyMs: 500, giveUpMs: 60_000 } });
    open();
    await until("the late module has ended", () => errors.length > 0);
    expect(errors).toEqual([{ path: late, error: `Tool name "wanted" is taken by ${early}` }]);
    expect(set.tools.map(({ path }) => path)).toEqual([early]);
  });
});

describe("reload", () => {
  test("runs the module and its imports again from disk", async () => {
    using folder = moduleFolder();
    const entry = folder.write(
      "entry.ts",
      `import { name } from './lib/name'; ${toolModule("x").replace('"x"', "name")}`,
    );
    folder.write("lib/name.ts", "export { name } from './deeper.js'");
    folder.write("lib/deeper.js", "export const name = 'first'");
    const set = await loadTools(folder.path, [entry]);
    folder.write("lib/deeper.js", "export const name = 'second'");
    const again = await loadTools(folder.path, [entry]);
    const reloaded = await set.reload();
    expect([set, again, reloaded].map(({ tools }) => only(tools).name)).toEqual(["first", "first", "second"]);
  });

  test("recovers from an error in the code, an error in an import, and a missing import", async () => {
    using folder = moduleFolder();
    const own = folder.write("own.ts", "throw new Error('not yet')");
    const inner = folder.write(
      "inner.ts",
      `import { name } from './fault.ts'; ${toolModule("inner")}; export { name }`,
    );
    folder.write("fault.ts", "throw new Error('neither'); export const name = 1");
    const missing = folder.write(
      "missing.ts",
      `import { name } from './later'; ${toolModule("missing")}; export { name }`,
    );
    const files = [own, inner, missing];
    const set = await loadTools(folder.path, files);
    expect(set.errors.map(({ path }) => path)).toEqual(files);
    folder.write("own.ts", toolModule("own"));
    folder.write("fault.ts", "export const name = 1");
    folder.write("later.ts", "export const name = 1");
    const reloaded = await set.reload();
    expect(reloaded.errors).toEqual([]);
    expect(reloaded.tools.map(({ tool }) => tool.name)).toEqual(["own", "inner", "missing"]);
  });

  test("replaces a module that still hangs, and prevents the old one from adding its tools", async () => {
    using folder = moduleFolder();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    meeting.gate = gate;
    const old = toolModule("old", "execute() {}, parameters: (globalThis.__customToolTest.isOldRun = true, {})");
    const hang = "globalThis.__customToolTest.isHanging = true; await globalThis.__customToolTest.gate;";
    const file = folder.write("slow.ts", `${hang} ${old}`);
    const set = await loadTools(folder.path, [file], { limits: { readyMs: 0, giveUpMs: 60_000 } });
    // The import may not have read the file yet and would then read the new text.
    await until("the old module hangs", () => meeting.isHanging === true);
    folder.write("slow.ts", toolModule("new"));
    await set.reload();
    await until("the new module has joined", () => set.names().length > 0);
    expect(set.names()).toEqual(["new"]);
    open();
    await until("the old module has ended", () => meeting.isOldRun === true);
    expect(set.names()).toEqual(["new"]);
  });
});
