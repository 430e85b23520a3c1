import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { cleanEnvironment } from "../support/program.ts";
import { type Frame, startRpc, textOf } from "../support/scenarios/rpc-child.ts";

/** A user's extension that uses most of the API. */
const EXTENSION = `
  import { Type } from "@sinclair/typebox";
  import { appendFileSync } from "node:fs";
  export default function (pi) {
    const log = (line) => appendFileSync(process.env.LOG, line + "\\n");
    pi.on("session_start", (event) => log("start " + event.reason));
    pi.on("session_shutdown", (event) => log("shutdown " + event.reason));
    pi.on("input", (event) => event.text === "shout" ? { action: "transform", text: "list" } : undefined);
    pi.on("tool_call", (event) => event.toolName === "bash" ? { block: true, reason: "no shell here" } : undefined);
    pi.on("session_before_switch", (event) => ({ cancel: event.reason === "new" }));
    pi.on("user_bash", () => ({ result: { output: "elsewhere", exitCode: 0, cancelled: false, truncated: false,
      totalLines: 1, totalBytes: 9, outputLines: 1, outputBytes: 9 } }));
    pi.registerTool({
      name: "double", label: "Double", description: "Doubles", parameters: Type.Object({ n: Type.Number() }),
      async execute(id, params, signal, onUpdate, ctx) {
        return { content: [{ type: "text", text: String(params.n * 2) }], details: {} };
      },
    });
    pi.registerCommand("hello", {
      description: "Asks and says",
      handler: async (args, ctx) => {
        const yes = await ctx.ui.confirm("Really?", args);
        ctx.ui.notify(yes ? "yes " + args : "no");
      },
    });
    pi.registerCommand("leave", { handler: async (args, ctx) => ctx.shutdown() });
  }`;

function place() {
  const scratch = scratchDirectory();
  const cwd = join(scratch.path, "project");
  const extensions = join(scratch.path, ".pintle", "extensions");
  for (const directory of [cwd, extensions]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(extensions, "all.ts"), EXTENSION);
  writeFileSync(join(extensions, "broken.ts"), "throw new Error('no luck')");
  const log = join(scratch.path, "log");
  return {
    cwd,
    env: cleanEnvironment(scratch.path, { LOG: log }),
    log: () => readFileSync(log, "utf8").trim().split("\n"),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

test("a user's extension in the built program provides tools, gates, input, commands, dialogs and session changes", async () => {
  using here = place();
  await using rpc = await startRpc([], here);
  const fault = await rpc.until(({ type }) => type === "extension_error");
  expect(fault).toMatchObject({ event: "load", error: expect.stringContaining("no luck") });

  await rpc.prompt('call double {"n":21}');
  expect(textOf(rpc.frames.find(({ type, toolName }) => type === "tool_execution_end" && toolName === "double")!)).toBe(
    "42",
  );
  await rpc.prompt("run echo hi");
  const blocked = rpc.frames.find(({ type, toolName }) => type === "tool_execution_end" && toolName === "bash");
  expect([blocked!.isError, textOf(blocked!)]).toEqual([true, "no shell here"]);
  await rpc.prompt("shout");
  expect(rpc.frames.some(({ type, toolName }) => type === "tool_execution_start" && toolName === "ls")).toBe(true);

  const names = (await rpc.call("get_available_commands")).data.commands.map(({ name }: Frame) => name);
  expect(names).toEqual(expect.arrayContaining(["hello", "leave"]));
  rpc.send({ id: "c", type: "prompt", message: "/hello you there" });
  const question = await rpc.until(({ type, method }) => type === "extension_ui_request" && method === "confirm");
  expect(question).toMatchObject({ title: "Really?", message: "you there" });
  rpc.send({ type: "extension_ui_response", id: question.id, confirmed: true });
  const said = await rpc.until(({ type, method }) => type === "extension_ui_request" && method === "notify");
  expect(said.message).toBe("yes you there");
  expect(await rpc.until(({ type, id }) => type === "prompt_result" && id === "c")).toEqual({
    type: "prompt_result",
    id: "c",
    agentInvoked: false,
    status: "completed",
    sessionSettled: true,
    sessionId: expect.any(String),
    sessionFile: expect.stringContaining(".jsonl"),
  });
  expect((await rpc.call("steer", { message: "/hello x" })).error).toBe(
    'Extension command "/hello" cannot be queued. Use prompt() or execute the command when not streaming.',
  );

  expect((await rpc.call("bash", { command: "pwd" })).data.output).toBe("elsewhere");
  expect((await rpc.call("new_session")).data).toEqual({ cancelled: true });
  expect(await rpc.end()).toBe(0);
  expect(here.log()).toEqual(["start startup", "shutdown quit"]);
  expect(grammarViolations(rpc.frames as never[], { expectSettled: true })).toEqual([]);
});

test("an extension may end the program after every command is answered", async () => {
  using here = place();
  await using rpc = await startRpc([], here);
  rpc.send({ id: "x", type: "prompt", message: "/leave" }, { id: "y", type: "get_state" });
  await rpc.until(({ id }) => id === "y");
  await rpc.until(() => false).catch(() => {}); // until the program has exited by itself
  expect(rpc.frames.some(({ id }) => id === "x")).toBe(true);
  expect(here.log().at(-1)).toBe("shutdown quit");
});

test("--no-extensions loads only the ones given on the command line", async () => {
  using here = place();
  await using rpc = await startRpc(["--no-extensions"], here);
  expect((await rpc.call("get_available_commands")).data.commands).toEqual([]);
  expect(await rpc.end()).toBe(0);
});
