import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { guardExit } from "../../../src/extensibility/loading/exit-guard.ts";
import {
  entryBehind,
  filesInStack,
  importFile,
  withLocalImports,
} from "../../../src/extensibility/loading/imported-files.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

describe("local imports", () => {
  test("includes every file imported by path, in any syntax and in cycles, without packages and types", () => {
    using folder = moduleFolder();
    const entry = folder.write(
      "entry.ts",
      `import { a } from "./a"; export * from "./b.js"; import "node:fs"; import "some-package";
       import type { T } from "./types.ts"; import data from "./data.json";
       export default async () => [a, data, require("./c.cjs"), await import("./d/index.ts")];`,
    );
    folder.write("a.ts", "import './entry.ts'; export const a = 1");
    folder.write("b.js", "import './missing.js'; export const b = 1");
    folder.write("c.cjs", "module.exports = (;");
    folder.write("d/index.ts", "export * from '..//e'");
    folder.write("e.mts", "");
    folder.write("types.ts", "");
    folder.write("data.json", "{}");
    const found = [...withLocalImports(entry)].map((file) => file.slice(folder.path.length + 1)).sort();
    expect(found).toEqual(["a.ts", "b.js", "c.cjs", "d/index.ts", "data.json", "e.mts", "entry.ts"]);
  });

  test("returns only the file itself if it does not exist", () => {
    expect([...withLocalImports("/no/such/file.ts")]).toEqual(["/no/such/file.ts"]);
  });
});

describe("the module that caused an error", () => {
  test("is the entry whose code, or whose import, is in the stack", async () => {
    using folder = moduleFolder();
    folder.write("lib/thrower.ts", "export function fail() { throw new Error('deep') }");
    const entry = folder.write("entry.ts", "import { fail } from './lib/thrower.ts'; export default fail");
    const { default: fail } = (await importFile(entry)) as { default: () => void };
    let caught: unknown;
    try {
      fail();
    } catch (error) {
      caught = error;
    }
    expect(entryBehind(caught)).toBe(entry);
    expect(entryBehind(new Error("ours"))).toBeUndefined();
    expect(entryBehind("no error")).toBeUndefined();
  });

  test("finds the files of a stack in every line format", () => {
    const stack = `Error: at (/not/a/frame)
    at <anonymous> (/a/b c.ts:1:2)
    at /d.ts:3:4
    at async load (/e.ts?7:5:6)
    at new Tool (/copy (2)/f.ts:7:8)
    at /copy (2)/g.ts:9:10
    at async file:///copy (2)/h.ts:11:12
    at native`;
    const copies = ["/copy (2)/f.ts", "/copy (2)/g.ts", "/copy (2)/h.ts"];
    expect(filesInStack(stack)).toEqual(["/a/b c.ts", "/d.ts", "/e.ts", ...copies]);
  });
});

describe("process.exit", () => {
  test("throws in a module and its imports, and still works for all other code", async () => {
    using folder = moduleFolder();
    const script = folder.write(
      "main.ts",
      `import { guardExit } from ${JSON.stringify(join(import.meta.dir, "../../../src/extensibility/loading/exit-guard.ts"))};
       import { importFile } from ${JSON.stringify(join(import.meta.dir, "../../../src/extensibility/loading/imported-files.ts"))};
       guardExit();
       const module = await importFile(${JSON.stringify(join(folder.path, "tool/index.ts"))});
       const caught = [];
       for (const name of ["direct", "named", "inner"]) {
         try { await module[name](); } catch (error) { caught.push(error.message); }
       }
       console.log(JSON.stringify(caught));
       module.callBack(() => process.exit(7));`,
    );
    folder.write(
      "tool/index.ts",
      `import { exit } from "node:process"; import { inner } from "./inner.ts";
       export { inner }; export const direct = () => { process.exit(1); }; export const named = async () => exit(2);
       export const callBack = (run) => run();`,
    );
    folder.write("tool/inner.ts", "export const inner = () => { if (true) process.exit(3); return 1; }");
    const child = Bun.spawnSync([process.execPath, "--no-install", script], { cwd: folder.path, stderr: "inherit" });
    const refused = (file: string) =>
      `process.exit is not available to modules (called in ${join(folder.path, "tool", file)})`;
    expect(JSON.parse(child.stdout.toString())).toEqual([
      refused("index.ts"),
      refused("index.ts"),
      refused("inner.ts"),
    ]);
    expect(child.exitCode).toBe(7);
  });

  test("is wrapped only once, however often the guard is installed", () => {
    guardExit();
    const guarded = process.exit;
    guardExit();
    expect(process.exit).toBe(guarded);
  });
});
