import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { cleanEnvironment, runProgram } from "../support/program.ts";

// A compiled program resolves modules differently from Bun; real packages have conditions and dependencies.
const FILES = {
  ".pintle/models.json": '{"providers":{"cloud":{"api":"ai-sdk","package":"@fake/cloud","models":[{"id":"m"}]}}}',
  ".pintle/node_modules/@fake/cloud/package.json": '{"exports":{".":{"import":"./dist/index.mjs"}}}',
  ".pintle/node_modules/@fake/cloud/dist/index.mjs": `
    import { partsOf } from "@fake/parts";
    export const createFakeCloud = () => ({
      languageModel: (modelId) => ({
        specificationVersion: "v4",
        provider: "cloud",
        doStream: async () => ({ stream: new ReadableStream({ start(controller) {
          for (const part of partsOf("Hello from " + modelId)) controller.enqueue(part);
          controller.close();
        } }) }),
      }),
    });`,
  ".pintle/node_modules/@fake/parts/package.json": '{"main":"lib/parts.cjs"}',
  ".pintle/node_modules/@fake/parts/lib/parts.cjs": `
    exports.partsOf = (delta) => [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta },
      { type: "text-end", id: "0" },
      { type: "finish", finishReason: { unified: "stop", raw: "stop" } },
    ];`,
  // A project with a package that must not be used.
  "project/node_modules/@fake/cloud/index.js": "export const createFakeCloud = () => { throw new Error('project'); };",
  "project/node_modules/@fake/cloud/package.json": "{}",
  "project/node_modules/@fake/project-only/package.json": "{}",
};

test("the shipped program calls a model through a package of HOME_DIR, and never through one of the project", async () => {
  using scratch = scratchDirectory();
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(scratch.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const options = { cwd: join(scratch.path, "project"), env: cleanEnvironment(scratch.path) };
  const args = ["--no-session", "-p", "hi"];
  expect(await runProgram(["--model", "cloud/m", ...args], options)).toEqual({
    code: 0,
    stdout: "Hello from m\n",
    stderr: "",
  });

  const only = FILES[".pintle/models.json"].replace("@fake/cloud", "@fake/project-only");
  writeFileSync(join(scratch.path, ".pintle/models.json"), only);
  const { code, stderr } = await runProgram(["--model", "cloud/m", ...args], options);
  expect(code).toBe(2);
  expect(stderr).toContain("needs the package @fake/project-only, which is not installed.");
});
