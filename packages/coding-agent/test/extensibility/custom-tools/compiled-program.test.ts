import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { toolModule } from "../../support/extensibility/custom-tools/loading.ts";
import { type ModuleFolder, moduleFolder } from "../../support/extensibility/module-folder.ts";
import { cleanEnvironment, repository, runProgram } from "../../support/program.ts";

// The shipped program must load user modules from disk although it contains everything else, so this test compiles a
// small program with only the loader in the same way as dist/pintle.

const { COMPILE_FLAGS } = (await import(join(repository, "scripts/compile-flags.mjs"))) as { COMPILE_FLAGS: string[] };
const sources = join(import.meta.dir, "../../../src");
const sourceOf = (path: string) => JSON.stringify(join(sources, path));

const MAIN = `
import { existsSync } from "node:fs";
const { CustomTools } = await import(${sourceOf("extensibility/custom-tools/custom-tools.ts")});
const staged = [];
const toSources = (paths) => paths.map((path) => ({ path, realPath: path, scope: "flag" }));
const paths = process.argv.slice(2);
const faults = [];
const set = await CustomTools.load(toSources(paths), {
  binding: { cwd: () => process.cwd(), context: () => ({}), pushPendingAction: (action) => staged.push(action) },
  home: process.env.PINTLE_HOME,
  publicExports: async () => ({ VERSION: "compiled" }),
  isTaken: () => false, report: (fault) => { faults.push(fault); },
});
const call = (id) => ({ id, signal: new AbortController().signal, update() {} });
const run = async () => ({
  errors: faults.splice(0).map(({ error }) => error),
  results: await Promise.all(set.tools.map(({ tool }) => tool.execute({ files: ["a"] }, call("1")))),
});
const first = await run();
const applied = await Promise.all(staged.map((action) => action.apply("fine")));
if (process.env.REWRITE) await Bun.write(process.env.REWRITE, "export const text = 'second'");
await set.reload(toSources(paths));
const second = await run();
console.log(JSON.stringify({ first, applied, second }));
process.exit(5);
`;

interface Outcome {
  first: { errors: string[]; results: unknown[] };
  applied: unknown[];
  second: { errors: string[]; results: unknown[] };
}

let workshop: ModuleFolder;
let compiled: string;

beforeAll(() => {
  workshop = moduleFolder();
  const main = workshop.write("main.ts", MAIN);
  compiled = join(workshop.path, "loader");
  const build = Bun.spawnSync([process.execPath, "build", main, ...COMPILE_FLAGS, "--outfile", compiled], {
    cwd: workshop.path,
    stderr: "pipe",
  });
  expect(build.stderr.toString()).not.toContain("error");
  expect(build.exitCode).toBe(0);
});
afterAll(() => workshop[Symbol.dispose]());

async function run(folder: ModuleFolder, files: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { code, stdout, stderr } = await runProgram(files, {
    command: [compiled],
    cwd: folder.path,
    env: cleanEnvironment(folder.path, env),
  });
  expect({ code, stderr }).toEqual({ code: 5, stderr: "" });
  return JSON.parse(stdout);
}

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("the compiled program", () => {
  test("runs the documented sample", async () => {
    using folder = moduleFolder();
    const file = join(folder.path, "sample.ts");
    copyFileSync(join(import.meta.dir, "../../fixtures/custom-tools/batch-rename-preview.ts.txt"), file);
    const { first, applied } = await run(folder, [file]);
    expect(first).toEqual({
      errors: [],
      results: [text("Prepared rename plan for 1 files. Call resolve to apply or discard.")],
    });
    expect(applied).toEqual([text("Applied batch rename. Reason: fine")]);
  });

  test("provides its modules to a module and its imports, and reloads both", async () => {
    using folder = moduleFolder();
    const entry = folder.write(
      "tool/index.ts",
      `import { Type } from "typebox"; import { VERSION, defineCustomTool } from "@oh-my-pi/pi-coding-agent";
       import { describe } from "./lib/describe"; import type { Anything } from "not-installed";
       export default () => defineCustomTool({ name: "x", label: "X", description: "x", parameters: Type.Object({}),
         execute: () => ({ content: describe(VERSION) }) });`,
    );
    const changing = folder.write("tool/lib/text.ts", "export const text = 'first'");
    folder.write(
      "tool/lib/describe.ts",
      `import { Value } from "@sinclair/typebox/value"; import { Type } from "@sinclair/typebox"; import { text } from "./text.js";
       export const describe = (version: string) => [version, Value.Check(Type.Number(), 1), text].join(" ");`,
    );
    const common = folder.write(
      "common.js",
      `const { Type } = require("typebox"); const { VERSION } = require("pintle");
       module.exports = () => ({ name: "common", label: "C", description: "c", parameters: Type.Object({}), execute: () => VERSION });`,
    );
    const { first, second } = await run(folder, [entry, common], { REWRITE: changing });
    expect(first).toEqual({ errors: [], results: [text("compiled true first"), text("compiled")] });
    expect(second).toEqual({ errors: [], results: [text("compiled true second"), text("compiled")] });
  });

  test("survives hostile modules", async () => {
    using folder = moduleFolder();
    const files = [
      folder.write("exits.ts", "process.exit(1)"),
      folder.write("syntax.ts", "export default (;"),
      folder.write("good.ts", toolModule("good")),
    ];
    const { first } = await run(folder, files);
    expect(first.results).toEqual([text("done")]);
    expect(first.errors.map((error) => error.replaceAll(folder.path, ""))).toEqual([
      "Import failed: process.exit is not available to modules (called in /exits.ts)",
      expect.stringMatching(/^Import failed: \/syntax\.ts:1:\d+: /),
    ]);
  });
});

describe("a package that is not installed", () => {
  const source = "import missing from 'a-package-nobody-has'; export default () => missing";

  function countingRegistry() {
    let connections = 0;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch() {
        connections += 1;
        return new Response("{}", { status: 404 });
      },
    });
    const env = { BUN_CONFIG_REGISTRY: server.url.href, npm_config_registry: server.url.href };
    return { env, count: () => connections, [Symbol.dispose]: () => void server.stop(true) };
  }

  test("is a load error, and it is not downloaded", async () => {
    using folder = moduleFolder();
    using registry = countingRegistry();
    const { first } = await run(folder, [folder.write("needs.ts", source)], registry.env);
    expect(first.errors).toEqual([
      expect.stringContaining("Import failed: Cannot find package 'a-package-nobody-has'"),
    ]);
    expect(registry.count()).toBe(0);
  });

  test("would be requested by plain Bun, so the count above is meaningful", async () => {
    using folder = moduleFolder();
    using registry = countingRegistry();
    const file = folder.write("needs.ts", source);
    const env = cleanEnvironment(folder.path, registry.env);
    await runProgram([file], { command: [process.execPath], cwd: folder.path, env });
    expect(registry.count()).toBeGreaterThan(0);
  });
});
