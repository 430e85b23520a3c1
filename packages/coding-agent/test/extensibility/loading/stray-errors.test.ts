import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

const sourceOf = (name: string) =>
  JSON.stringify(join(import.meta.dir, "../../../src/extensibility/loading", `${name}.ts`));

describe("uncaught errors", () => {
  test("are reported with the module that caused them, and the process continues", () => {
    using folder = moduleFolder();
    const tool = folder.write(
      "tool.ts",
      `setTimeout(() => { throw new Error("in a timer") }, 0);
       async function forgotten() { await null; throw new Error("in a promise") }
       forgotten(); Promise.reject("without a stack"); export default 1`,
    );
    const script = folder.write(
      "main.ts",
      `import { watchStrayErrors } from ${sourceOf("stray-errors")}; import { importFile } from ${sourceOf("imported-files")};
       const faults = []; const { promise, resolve } = Promise.withResolvers();
       const stop = watchStrayErrors((fault) => { faults.push(fault); if (faults.length === 3) resolve(); });
       await importFile(${JSON.stringify(tool)}); await promise; stop();
       console.log(JSON.stringify(faults.sort((a, b) => (a.error < b.error ? -1 : 1))));
       setTimeout(() => { throw new Error("no longer ours") }, 0);`,
    );
    const child = Bun.spawnSync([process.execPath, "--no-install", script], { cwd: folder.path, stderr: "pipe" });
    expect(JSON.parse(child.stdout.toString())).toEqual([
      { path: tool, error: "in a promise" },
      { path: tool, error: "in a timer" },
      { error: "without a stack" },
    ]);
    expect(child.exitCode).toBe(1);
    expect(child.stderr.toString()).toContain("no longer ours");
  });
});
