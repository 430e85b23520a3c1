import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { textOf } from "../../../../agent/test/support/tools.ts";
import { createLocalBashOperations } from "../../../src/extensibility/aliases/bash-tool.ts";
import * as factories from "../../../src/extensibility/aliases/tool-factories.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

const {
  createBashTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createLsTool,
  createReadTool,
  createWriteTool,
} = factories;

const spilled: string[] = [];
afterAll(() => {
  for (const path of spilled) rmSync(dirname(path), { recursive: true, force: true });
});

describe("tools outside a session", () => {
  test("work in the directory they were created for", async () => {
    using folder = moduleFolder();
    const cwd = folder.path;
    await createWriteTool(cwd).execute("1", { path: "a/b.txt", content: "needle here" });
    await createEditTool(cwd).execute("2", { path: "a/b.txt", edits: [{ oldText: "here", newText: "there" }] });
    expect(readFileSync(join(cwd, "a/b.txt"), "utf8")).toBe("needle there");
    expect(textOf(await createReadTool(cwd).execute("3", { path: "a/b.txt" }))).toContain("needle there");
    expect(textOf(await createLsTool(cwd).execute("4", {}))).toContain("a/");
    expect(textOf(await createFindTool(cwd).execute("5", { pattern: "*.txt" }))).toContain("b.txt");
    expect(textOf(await createGrepTool(cwd).execute("6", { pattern: "needle" }))).toContain("there");
    expect(textOf(await createBashTool(cwd).execute("7", { command: "pwd" }))).toContain(cwd);
  });

  test("can be spread into a registration", () => {
    const { name, label, description, parameters, executionMode, prepareArguments } = { ...createBashTool("/") };
    expect({ name, label, executionMode, prepareArguments }).toEqual({
      name: "bash",
      label: "Bash",
      executionMode: undefined,
      prepareArguments: expect.any(Function),
    });
    expect(description.length).toBeGreaterThan(0);
    expect(parameters).toMatchObject({ type: "object" });
    expect({ ...createEditTool("/") }.prepareArguments).toBeFunction();
    expect(factories.createCodingTools("/").map((tool) => tool.name)).toEqual(["read", "bash", "edit", "write"]);
    expect(factories.createReadOnlyTools("/").map((tool) => tool.name)).toEqual(["read", "grep", "find", "ls"]);
  });

  test("an abort ends the command", async () => {
    const controller = new AbortController();
    const running = createBashTool("/").execute("1", { command: "echo started; sleep 60" }, controller.signal, () =>
      controller.abort(),
    );
    expect(await running).toMatchObject({ isError: true });
  });
});

describe("an extension's bash", () => {
  test("spawnHook chooses the command, directory and variables", async () => {
    using folder = moduleFolder();
    process.env.PINTLE_TEST_GONE = "still here";
    const tool = createBashTool("/", {
      commandPrefix: "A=1",
      spawnHook: ({ command, env }) => {
        const { PINTLE_TEST_GONE, ...rest } = env;
        return { command: `${command}; echo "$A $B [$PINTLE_TEST_GONE]"`, cwd: folder.path, env: { ...rest, B: "2" } };
      },
    });
    const text = textOf(await tool.execute("1", { command: "pwd" }));
    delete process.env.PINTLE_TEST_GONE;
    expect(text).toBe(`${folder.path}\n1 2 []\n`);
  });

  test("custom operations run elsewhere, with the usual output, exit and limits", async () => {
    const calls: unknown[] = [];
    const run = (end: () => { exitCode: number | null }, output = "out") =>
      createBashTool("/work", {
        operations: {
          exec: async (command: string, cwd: string, options: { onData(data: Buffer): void; timeout?: number }) => {
            calls.push([command, cwd, options.timeout]);
            options.onData(Buffer.from(output));
            late.resolve(() => options.onData(Buffer.from("too late")));
            return end();
          },
        },
      });
    const late = Promise.withResolvers<() => void>();
    const updates: string[] = [];
    const ok = await run(() => ({ exitCode: 0 })).execute("1", { command: "c", timeout: 9 }, undefined, (partial) =>
      updates.push(textOf(partial)),
    );
    expect(textOf(ok)).toBe("out");
    (await late.promise)();
    expect(updates).toEqual(["out"]);
    expect(calls).toEqual([["c", "/work", 9]]);
    const fail = (error: string) => () => {
      throw new Error(error);
    };
    expect(textOf(await run(() => ({ exitCode: 3 })).execute("2", { command: "c" }))).toContain("exited with code 3");
    expect(textOf(await run(() => ({ exitCode: null })).execute("3", { command: "c" }))).toContain("Command aborted");
    expect(textOf(await run(fail("timeout:5")).execute("4", { command: "c" }))).toContain("timed out after 5 seconds");
    expect(textOf(await run(fail("aborted")).execute("5", { command: "c" }))).toContain("Command aborted");
    await expect(run(fail("no such host")).execute("6", { command: "c" })).rejects.toThrow("no such host");
    const long = await run(() => ({ exitCode: 0 }), "line\n".repeat(5_000)).execute("7", { command: "c" });
    const { fullOutputPath } = long.details as { fullOutputPath: string };
    spilled.push(fullOutputPath);
    expect(textOf(long).length).toBeLessThan(60_000);
    expect(readFileSync(fullOutputPath, "utf8")).toBe("line\n".repeat(5_000));
  });

  test("custom operations can wrap commands on this machine", async () => {
    const { exec } = createLocalBashOperations();
    const chunks: string[] = [];
    const onData = (data: Uint8Array) => void chunks.push(Buffer.from(data).toString());
    expect(await exec("echo out; echo err >&2; exit 4", "/", { onData })).toEqual({ exitCode: 4 });
    expect(chunks.join("")).toBe("out\nerr\n");
    await expect(exec("sleep 60", "/", { onData, timeout: 0.1 })).rejects.toThrow("timeout:0.1");
    await expect(exec("sleep 60", "/", { onData, signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    const controller = new AbortController();
    const running = exec("echo go; sleep 60", "/", { onData: () => controller.abort(), signal: controller.signal });
    await expect(running).rejects.toThrow("aborted");
  });
});

describe("an extension's files", () => {
  const files = new Map<string, string>();
  const operations = {
    readFile: async (path: string) => {
      const text = files.get(path);
      if (text === undefined) throw new Error(`no ${path}`);
      return Buffer.from(text);
    },
    writeFile: async (path: string, content: string) => void files.set(path, content),
    access: async (path: string) => {
      if (!files.has(path)) throw new Error(`no access to ${path}`);
    },
    mkdir: async () => {},
    detectImageMimeType: async (path: string) => (path.endsWith(".png") ? "image/png" : null),
  };

  test("are read, written and edited only through its operations", async () => {
    const cwd = "/far";
    await createWriteTool(cwd, { operations }).execute("1", { path: "a.txt", content: "one\ntwo\nthree" });
    await createEditTool(cwd, { operations }).execute("2", {
      path: "a.txt",
      edits: [{ oldText: "two", newText: "2" }],
    });
    expect(files.get("/far/a.txt")).toBe("one\n2\nthree");
    const read = createReadTool(cwd, { operations });
    expect(textOf(await read.execute("3", { path: "a.txt" }))).toBe("one\n2\nthree");
    expect(textOf(await read.execute("4", { path: "a.txt", offset: 2, limit: 1 }))).toBe(
      "2\n\n[1 more lines; continue with offset=3]",
    );
    await expect(read.execute("5", { path: "a.txt", offset: 9 })).rejects.toThrow("has 3 lines");
    await expect(read.execute("6", { path: "gone.txt" })).rejects.toThrow("no access to /far/gone.txt");
    files.set("/far/i.png", "pixels");
    expect((await read.execute("7", { path: "i.png" })).content).toEqual([
      { type: "image", data: Buffer.from("pixels").toString("base64"), mimeType: "image/png" },
    ]);
    expect(existsSync("/far")).toBe(false);
  });

  test("a long file is truncated and says how to continue", async () => {
    files.set("/far/long.txt", Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}`).join("\n"));
    const result = await createReadTool("/far", { operations }).execute("1", { path: "long.txt" });
    expect(textOf(result)).toEndWith("line 2000\n\n[1000 more lines; continue with offset=2001]");
    expect(result.details).toMatchObject({ truncation: { truncated: true, outputLines: 2_000 } });
  });

  test("a missing operation, or one that cannot be redirected, is rejected and never runs locally", async () => {
    await expect(createWriteTool("/", { operations: {} }).execute("1", { path: "x", content: "" })).rejects.toThrow(
      "The operations have no writeFile",
    );
    for (const create of [createGrepTool, createFindTool, createLsTool]) {
      expect(() => create("/", { operations })).toThrow("This tool has no operations in pintle");
    }
  });
});
