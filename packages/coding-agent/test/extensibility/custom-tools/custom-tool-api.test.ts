import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import * as typebox from "typebox";
import { ProcessRunner } from "../../../../exec/src/processes/process-runner.ts";
import { createLogger } from "../../../src/extensibility/api/logger.ts";
import {
  type CustomToolBinding,
  createCustomToolApi,
} from "../../../src/extensibility/custom-tools/custom-tool-api.ts";
import { MAX_EXEC_BYTES } from "../../../src/extensibility/custom-tools/exec-program.ts";
import { noUi } from "../../../src/extensibility/ui/no-ui.ts";
import type { PendingActionInput } from "../../../src/previews/pending-action.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

let processRunner = new ProcessRunner({ environment: process.env });

afterEach(async () => {
  await processRunner.killAll("shutdown", 0);
  processRunner = new ProcessRunner({ environment: process.env });
});

function createApi(fields: Partial<CustomToolBinding> = {}) {
  const binding: CustomToolBinding = { cwd: () => "/", processRunner: async () => processRunner, ...fields };
  const logger = createLogger("/nowhere");
  return { binding, api: createCustomToolApi({ binding, logger, typebox, pi: { VERSION: "1" } }) };
}

describe("the object passed to modules", () => {
  test("follows the session that is bound later", () => {
    const { api, binding } = createApi();
    expect([api.cwd, api.hasUI, api.ui]).toEqual(["/", false, noUi]);
    const ui = { ...noUi };
    Object.assign(binding, { cwd: () => "/other", ui: () => ui });
    expect([api.cwd, api.hasUI, api.ui === ui]).toEqual(["/other", true, true]);
  });

  test("cannot be changed by one module for the others", () => {
    const { api } = createApi();
    for (const part of [api, api.pi, api.logger]) expect(Object.isFrozen(part)).toBe(true);
  });

  test("stages actions of any shape under a default name", async () => {
    const staged: PendingActionInput[] = [];
    const { api } = createApi({ pushPendingAction: (action) => void staged.push(action) });
    class Action {
      label = "of a class";
      #text = "private";
      async apply(reason: string) {
        return { content: [{ type: "text" as const, text: `${this.#text} ${reason}` }] };
      }
    }
    api.pushPendingAction(new Action());
    api.pushPendingAction({ label: "l", apply: "no function", details: { a: 1 }, sourceToolName: "mine" } as never);
    expect(staged).toEqual([
      { label: "of a class", sourceToolName: "custom_tool", apply: expect.any(Function) },
      { label: "l", sourceToolName: "mine", apply: "no function", details: { a: 1 } } as never,
    ]);
    expect(await staged[0]!.apply("why")).toEqual({ content: [{ type: "text", text: "private why" }] });
  });
});

describe("exec", () => {
  test("returns both outputs and the exit code, without a shell", async () => {
    const { api } = createApi();
    const script = 'printf "[%s]" "$@"; echo oops >&2; exit 3';
    expect(await api.exec("sh", ["-c", script, "sh", "a b", "$HOME", "*"])).toEqual({
      stdout: "[a b][$HOME][*]",
      stderr: "oops\n",
      code: 3,
      killed: false,
    });
  });

  test("runs in the session's directory or one below it", async () => {
    using folder = moduleFolder();
    folder.write("below/file", "");
    const { api } = createApi({ cwd: () => folder.path });
    expect((await api.exec("pwd")).stdout).toBe(`${folder.path}\n`);
    expect((await api.exec("pwd", [], { cwd: "below" })).stdout).toBe(`${join(folder.path, "below")}\n`);
  });

  test("returns a result for a program that cannot be started", async () => {
    const { api } = createApi();
    expect(await api.exec("no-such-program-here")).toEqual({
      stdout: "",
      stderr: "Program not found: no-such-program-here\n",
      code: 127,
      killed: false,
    });
    expect((await api.exec("true", [], { cwd: "/no/such/directory" })).code).toBe(127);
  });

  test("is stopped by its signal and its time limit", async () => {
    const { api } = createApi();
    const stop = new AbortController();
    const running = api.exec("sh", ["-c", "echo begun; exec sleep 60"], { signal: stop.signal });
    const limited = api.exec("sleep", ["60"], { timeout: 30 });
    stop.abort();
    expect(await limited).toEqual({ stdout: "", stderr: "", code: 143, killed: true });
    expect(await running).toMatchObject({ code: 143, killed: true });
    expect(await api.exec("sleep", ["60"], { signal: stop.signal })).toMatchObject({ code: 143, killed: true });
  });

  test("does not report a program that signals itself as killed by pintle", async () => {
    const { api } = createApi();
    expect(await api.exec("sh", ["-c", "kill -9 $$"])).toMatchObject({ code: 137, killed: false });
  });

  test("keeps the end of output that is too long, with a note", async () => {
    const { api } = createApi();
    const script = `head -c ${MAX_EXEC_BYTES} /dev/zero; printf end`;
    const { stdout, truncated, stderr } = await api.exec("sh", ["-c", script]);
    expect({ length: stdout.length, end: stdout.slice(-3), truncated, stderr }).toEqual({
      length: MAX_EXEC_BYTES,
      end: "end",
      truncated: true,
      stderr: "",
    });
    expect((await api.exec("printf", ["\\0a\\033"])).stdout).toBe("\0a\x1b");
  });

  test("rejects arguments that are not a list of strings", async () => {
    const { api } = createApi();
    await expect(api.exec("true", [1] as never)).rejects.toThrow(TypeError);
    await expect(api.exec(undefined as never)).rejects.toThrow(TypeError);
  });
});
