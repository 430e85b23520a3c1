import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { z } from "zod";
import { rejection } from "../../ai/test/support/rejection.ts";
import { createAgentSession, type ExtensionAPI, query, run, tool } from "../src/index.ts";
import { machine } from "./support/scenarios/stored-sessions.ts";

// The library as programs use it to run a session in their own process.

const places: Disposable[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place[Symbol.dispose]();
});

function offline() {
  const place = machine();
  places.push(place);
  const { cwd } = place;
  return { cwd, options: { cwd, env: place.env, model: "pintle/offline", noSession: true } as const };
}

const dice = tool({
  name: "dice",
  description: "Rolls a die",
  schema: { type: "object", properties: { sides: { type: "integer" } }, required: ["sides"] },
  execute: ({ sides }) => `rolled a ${sides}`,
});

describe("run and query", () => {
  test("give the result of a prompt with a tool of this program", async () => {
    const { options } = offline();
    const result = await run('call dice {"sides":6}', { ...options, tools: [dice] });
    expect(result).toMatchObject({ status: "completed", endedBy: "stop", toolCalls: 1 });
    expect(result.text).toContain("rolled a 6");
  });

  test("ask the handlers in the options", async () => {
    const { options, cwd } = offline();
    const kinds: string[] = [];
    const events = query("run touch made.txt", {
      ...options,
      permissions: "ask",
      onApproval: async ({ request }) => {
        kinds.push(request.kind);
        return "deny";
      },
    });
    const types: string[] = [];
    for await (const { type } of events) types.push(type);
    expect(types).toContain("tool_execution_end");
    expect(kinds).toEqual(["execute"]);
    expect(existsSync(join(cwd, "made.txt"))).toBe(false);
  });

  test("end the run when the loop is left, and can run again", async () => {
    const { options } = offline();
    const events = query("run sleep 60", options);
    for await (const { type } of events) if (type === "tool_execution_start") break;
    expect(await events.result).toMatchObject({ status: "aborted", endedBy: "abort" });
    expect((await run("list", options)).status).toBe("completed");
  });

  test("reject wrong options, without leaving anything", async () => {
    const { options } = offline();
    expect(await rejection(run("x", { ...options, args: ["--no-such-flag"] }))).toMatchObject({
      message: expect.stringContaining("--no-such-flag"),
    });
    expect(await rejection(run("x", { ...options, command: ["pintle"] } as object))).toBeInstanceOf(TypeError);
    expect(await rejection(run("x", { ...options, args: ["--continue"] }))).toBeInstanceOf(TypeError);
  });
});

describe("createAgentSession", () => {
  test("takes the options of the client, and a string as the name of a built-in tool", async () => {
    const { options, cwd } = offline();
    const { session } = await createAgentSession({ ...options, tools: ["read", dice], permissions: "full" });
    expect(session.permissions.mode).toBe("full");
    expect(session.sessionFile).toBeUndefined();
    await session.prompt('call dice {"sides":6}');
    expect(session.getLastAssistantText()).toContain("rolled a 6");
    writeFileSync(join(cwd, "a.txt"), "x");
    await session.prompt("run ls");
    expect(session.getLastAssistantText()).not.toContain("a.txt");
    await session.dispose();
  });

  test("prompt resolves to the result, with an output of the schema", async () => {
    const { options } = offline();
    const schema = { type: "object", properties: { line: { type: "integer" } }, required: ["line"] };
    const { session } = await createAgentSession({ ...options, outputSchema: schema });
    expect(await session.prompt("list")).toMatchObject({ status: "completed", output: { line: expect.any(Number) } });
    expect(await session.prompt("list", { outputSchema: false })).toMatchObject({
      status: "completed",
      endedBy: "stop",
    });
    await session.dispose();
  });

  test("prompt has the type of its schema, and validates with a Standard Schema", async () => {
    const { options } = offline();
    const day = z.object({ day: z.string().transform((text) => text.length) });
    const { session } = await createAgentSession({ ...options, outputSchema: day });
    const result = await session.prompt("list", { outputSchema: Type.Object({ line: Type.Integer() }) });
    if (result.status !== "completed") throw new Error(result.error?.message);
    expect(result.output.line).toBe(0);
    expect(result.messages.at(-1)?.role).toBe("assistant");
    expect(await session.prompt("list")).toMatchObject({ status: "completed", output: { day: 0 } });
    const picky = z.object({ day: z.string().refine((text) => text !== "") });
    expect(await session.prompt("list", { outputSchema: picky })).toMatchObject({
      status: "error",
      endedBy: "output",
      rejectedOutput: { day: "" },
    });
    await session.dispose();
  });

  test("prompt resolves when it is aborted, when its time is over, and for a command", async () => {
    const { options } = offline();
    const noop = (pi: ExtensionAPI) =>
      pi.registerCommand("noop", { description: "does nothing", handler: async () => {} });
    const { session } = await createAgentSession({ ...options, extensions: [noop] });
    const abort = new AbortController();
    const forget = session.subscribe(({ type }) => {
      if (type === "tool_execution_start") abort.abort(new Error("enough"));
    });
    const aborted = await session.prompt("run sleep 60", { signal: abort.signal });
    forget();
    expect(aborted).toMatchObject({ status: "aborted", endedBy: "abort", agentInvoked: true });
    expect(await rejection(session.prompt("list", { signal: abort.signal }))).toMatchObject({ message: "enough" });
    expect(await session.prompt("run sleep 60", { timeoutMs: 100 })).toMatchObject({ endedBy: "timeout" });
    expect(await session.prompt("/noop")).toMatchObject({ status: "completed", agentInvoked: false, text: "" });
    expect(await session.prompt("/noop", { outputSchema: { type: "object" } })).toMatchObject({
      status: "error",
      agentInvoked: false,
      error: { message: "The message was handled without the model, so there is no output" },
    });
    await session.dispose();
  });

  test("refuses a directory that does not exist, a limit that does not exist, and what is no schema", async () => {
    const { options } = offline();
    const missing = { message: "The session cannot start: the directory /no/such (cwd) does not exist" };
    expect(await rejection(createAgentSession({ ...options, cwd: "/no/such" }))).toMatchObject(missing);
    expect(await rejection(run("x", { ...options, cwd: "/no/such" }))).toMatchObject(missing);
    expect(await rejection(run("x", { ...options, permission: "ask" } as object))).toBeInstanceOf(TypeError);
    const misspelt = { ...options, budget: { turn: 3 } } as object;
    expect(await rejection(createAgentSession(misspelt))).toBeInstanceOf(TypeError);
    const { session } = await createAgentSession(options);
    expect(await rejection(session.prompt("list", { outputSchema: true } as object))).toBeInstanceOf(TypeError);
    expect(await rejection(session.prompt("list", { outputSchema: { type: "strin" } }))).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("/type"),
    });
    await session.dispose();
  });

  test("every preset allows a tool that declares to change nothing", async () => {
    const { options } = offline();
    const look = tool({ name: "look", description: "Looks", readOnly: true, execute: () => "seen" });
    const { session } = await createAgentSession({ ...options, tools: [look, dice], permissions: "plan" });
    expect((await session.prompt("call look {}")).text).toContain("seen");
    expect((await session.prompt('call dice {"sides":6}')).denials).toMatchObject([{ tool: "dice" }]);
    await session.dispose();
  });

  test("a dialog is answered by onUiRequest, and extensions know that there is a user interface", async () => {
    const { options } = offline();
    const asked: string[] = [];
    let answer: unknown;
    const { session } = await createAgentSession({
      ...options,
      extensions: [
        (pi) =>
          pi.registerCommand("deploy", {
            description: "asks",
            handler: async (_args, ctx) => {
              answer = { hasUI: ctx.hasUI, sure: await ctx.ui.confirm("Deploy", "Really?") };
            },
          }),
      ],
      onUiRequest: (request) => {
        asked.push(request.method);
        return request.method === "confirm";
      },
    });
    await session.prompt("/deploy");
    expect(asked).toEqual(["confirm"]);
    expect(answer).toEqual({ hasUI: true, sure: true });
    await session.dispose();
  });

  test("resolvePreview alone decides on previews", async () => {
    const { options, cwd } = offline();
    writeFileSync(join(cwd, "a.ts"), "export function greet() {}\n");
    const labels: string[] = [];
    const { session } = await createAgentSession({
      ...options,
      resolvePreview: async ({ label }) => {
        labels.push(label);
        return { action: "discard", reason: "no" };
      },
    });
    await session.prompt("rename greet to welcome");
    expect(labels).toHaveLength(1);
    expect(await Bun.file(join(cwd, "a.ts")).text()).toBe("export function greet() {}\n");
    await session.dispose();
  });

  test("a tool with a bad schema is refused with the reason", async () => {
    const { options } = offline();
    const bad = { ...dice, parameters: { type: "no such type" } };
    const named = { message: expect.stringContaining("dice") };
    expect(await rejection(createAgentSession({ ...options, tools: [bad] }))).toMatchObject(named);
    const custom = { ...bad, label: "Dice", execute: async () => ({ content: [], details: {} }) } as never;
    expect(await rejection(createAgentSession({ ...options, customTools: [custom] }))).toMatchObject(named);
  });

  test("a prompt while a run is active rejects and does not throw", async () => {
    const { options } = offline();
    const { session } = await createAgentSession(options);
    const first = session.prompt("run sleep 60");
    const second = session.prompt("list");
    expect(await rejection(second)).toMatchObject({ code: "busy" });
    await session.dispose();
    await first.catch(() => {}); // ended with the session
  });
});
