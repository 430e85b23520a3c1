import { afterEach, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { rejection } from "../../ai/test/support/rejection.ts";
import { program } from "../../coding-agent/test/support/program.ts";
import { machine } from "../../coding-agent/test/support/scenarios/stored-sessions.ts";
import { query, RpcClient, run, tool } from "../src/index.ts";

// Runs against the built program with the offline model.

const places: Disposable[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place[Symbol.dispose]();
});

function offline() {
  const place = machine();
  places.push(place);
  const options = {
    model: "pintle/offline",
    cwd: place.cwd,
    env: place.env,
    noSession: true,
    command: [program],
  };
  return { place, options };
}

const owner = tool({
  name: "owner",
  description: "Team that owns a file",
  readOnly: true,
  schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: ({ path }) => `${path}: core team`,
});

describe("run", () => {
  test("starts the program, returns the result and stops it", async () => {
    const { options } = offline();
    const result = await run('call owner {"path":"a.txt"}', { ...options, tools: [owner] });
    expect(result).toMatchObject({ status: "completed", endedBy: "stop", agentInvoked: true, turns: 2, toolCalls: 1 });
    expect(result.text).toContain("a.txt: core team");
    expect(result.sessionFile).toBeUndefined();
    expect(result.sessionId).not.toBe("");
  });

  test("returns an output that matches the schema", async () => {
    const { options } = offline();
    const result = await run("list", {
      ...options,
      outputSchema: { type: "object", properties: { line: { type: "integer" } }, required: ["line"] },
    });
    expect(result.status === "completed" && typeof result.output.line).toBe("number");
  });

  test("ends after timeoutMs with the result so far", async () => {
    const { options } = offline();
    expect(await run("run sleep 60", { ...options, timeoutMs: 300 })).toMatchObject({
      status: "aborted",
      endedBy: "timeout",
    });
  });

  test("uses a given client and does not stop it", async () => {
    const { options } = offline();
    await using client = new RpcClient(options);
    await client.start();
    expect((await run("list", { client })).status).toBe("completed");
    expect((await run("list", { client })).status).toBe("completed");
    expect(await rejection(run("list", { client, permissions: "ask" }))).toBeInstanceOf(TypeError);
  });

  test("rejects a start that fails", async () => {
    const { options } = offline();
    expect(await rejection(run("x", { ...options, args: ["--no-such-flag"] }))).toMatchObject({
      name: "RpcClosedError",
    });
  });

  test("resolves if aborted before the program is ready, and rejects with an already aborted signal", async () => {
    const { options } = offline();
    const abort = new AbortController();
    const aborted = run("run sleep 60", { ...options, signal: abort.signal });
    abort.abort(new Error("no longer needed"));
    expect(await aborted).toMatchObject({ status: "aborted", endedBy: "abort", agentInvoked: false, text: "" });
    expect(await rejection(run("x", { ...options, signal: abort.signal }))).toMatchObject({
      message: "no longer needed",
    });
  });

  test.each([
    ["a misspelt option", { permission: "ask" }, "permission is not an option. Did you mean permissions?"],
    ["a misspelt limit", { budget: { turn: 3 } }, "turn is not a limit or field of budget. Did you mean turns?"],
    ["an option that resembles none", { limits: {} }, "limits is not an option. There are: addDirs, apiKey,"],
    [
      "true as a schema",
      { outputSchema: true },
      "outputSchema must be a JSON Schema, a TypeBox schema or a Standard Schema, not true",
    ],
    [
      "a string as a schema",
      { outputSchema: "{}" },
      'outputSchema must be a JSON Schema, a TypeBox schema or a Standard Schema, not "{}"',
    ],
    [
      "null as a schema",
      { outputSchema: null },
      "outputSchema must be a JSON Schema, a TypeBox schema or a Standard Schema, not null",
    ],
  ])("refuses %s before the model is asked", async (_name, wrong, message) => {
    const { options } = offline();
    const error = await rejection(run("list", { ...options, ...wrong } as object));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toStartWith(message);
  });

  test.each([
    ["budget", "list", { budget: { turns: 1 } }, "The run was ended: the budget is used up: turns 1 of 1 (run)"],
    ["timeout", "run sleep 60", { timeoutMs: 300 }, "The run was ended: its time limit (timeoutMs: 300) was reached"],
    [
      "denied",
      "run touch made.txt",
      { permissions: "ask", onApproval: () => "deny_and_stop" as const },
      "The run was ended: the user denied a call and stopped the run",
    ],
  ] as const)("says why it was ended by %s", async (endedBy, prompt, limit, message) => {
    const { options } = offline();
    const result = await run(prompt, { ...options, ...limit });
    expect(result).toMatchObject({ status: "aborted", endedBy, error: { message } });
  });

  test("calls the handlers in the options", async () => {
    const { options, place } = offline();
    const asked: string[] = [];
    const result = await run("run touch made.txt", {
      ...options,
      permissions: "ask",
      onApproval: ({ request }) => {
        asked.push(request.kind);
        return "deny";
      },
    });
    expect(asked).toEqual(["execute"]);
    expect(result.agentInvoked).toBe(true);
    expect(await Bun.file(`${place.cwd}/made.txt`).exists()).toBe(false);
  });
});

describe("query", () => {
  test("yields the events, with prompt_result last, and has the result", async () => {
    const { options } = offline();
    const types: string[] = [];
    const events = query("list", options);
    for await (const { type } of events) types.push(type);
    expect(types).toContain("agent_start");
    expect(types.at(-1)).toBe("prompt_result");
    expect((await events.result).status).toBe("completed");
  });

  test("aborts the run and stops the program when its loop is left", async () => {
    const { options } = offline();
    const events = query("run sleep 60", { ...options, onApproval: () => "allow_once" });
    for await (const { type } of events) if (type === "tool_execution_start") break;
    expect(await events.result).toMatchObject({ status: "aborted", endedBy: "abort" });
  });

  test("abort() before the first event resolves the result too", async () => {
    const { options } = offline();
    const events = query("run sleep 60", options);
    events.abort();
    for await (const { type } of events) expect(type).not.toBe("tool_execution_start");
    expect(await events.result).toMatchObject({ status: "aborted", endedBy: "abort" });
  });

  test("rejects with the result so far when the program is killed", async () => {
    const { options } = offline();
    let child: ReturnType<typeof spawn> | undefined;
    const { command: _command, ...others } = options;
    const events = query("run sleep 60", {
      ...others,
      spawn: (args) => {
        child = spawn(program, args, { cwd: options.cwd, env: { ...process.env, ...options.env } as never });
        return child;
      },
    });
    const killed = (async () => {
      for await (const { type } of events) if (type === "tool_execution_start") child?.kill("SIGKILL");
    })();
    const lost = { name: "RpcClosedError", signal: "SIGKILL", partial: { status: "error", agentInvoked: true } };
    expect(await rejection(killed)).toMatchObject(lost);
    expect(await rejection(events.result)).toMatchObject(lost);
  });

  test("abort() resolves the result with what has arrived", async () => {
    const { options } = offline();
    const events = query("run sleep 60", options);
    for await (const { type } of events) if (type === "tool_execution_start") events.abort();
    expect(await events.result).toMatchObject({ status: "aborted", endedBy: "abort" });
  });
});
