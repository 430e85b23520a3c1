import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grammarViolations } from "@pintle/agent/testing";
import { type Respond, sendEvents, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { runProgram } from "../support/program.ts";
import { rawExchange } from "../support/scenarios/raw-exchange.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";

/** Each answer of the model uses 1000 tokens; with the price below that is one dollar. */
const USAGE = { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 };
const PRICE = { input: 1000, output: 1000 };

const sse = (delta: object, finish_reason: string): Respond =>
  sendEvents(
    [JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], usage: USAGE }), "[DONE]"]
      .map((data) => `data: ${data}\n\n`)
      .join(""),
  );
const says = (content: string) => sse({ content }, "stop");
const bash = (command: string) =>
  sse(
    { tool_calls: [{ index: 0, id: "call_1", function: { name: "bash", arguments: JSON.stringify({ command }) } }] },
    "tool_calls",
  );
const broken: Respond = (response) => {
  response.writeHead(500, { "content-type": "application/json" });
  response.end('{"error":{"message":"down"}}');
};

/**
 * An environment in which the model "local/m" gives exactly these answers; "local/free" has a price of zero, "local/other" has no
 * price.
 */
async function stage(answers: Respond[]) {
  const place = machine();
  const server = await startLoopbackServer(...answers);
  const home = place.env.PINTLE_HOME as string;
  mkdirSync(home, { recursive: true });
  const models = [{ id: "m", cost: PRICE }, { id: "free", cost: { input: 0, output: 0 } }, { id: "other" }];
  const provider = { baseUrl: server.url, api: "openai-completions", auth: "none", models };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { local: provider } }));
  return {
    place,
    requests: server.requests,
    start: (flags: string[] = []) => startRpc(["--model", "local/m", ...flags], place),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

const told = ({ frames }: RpcChild, type: string) => frames.filter((frame) => frame.type === type);
const until = (rpc: RpcChild, type: string) => rpc.until((frame) => frame.type === type);
const budgetOf = async (rpc: RpcChild) => (await rpc.call("get_session_stats")).data.budget;

async function finish(rpc: RpcChild, message = "go") {
  await rpc.call("prompt", { message });
  await rpc.until((frame) => frame.type === "agent_settled");
}

describe("a budget with reached=stop", () => {
  test.each([
    ["cost=2", "costUsd", 2],
    ["tokens=2k", "tokens", 2000],
    ["turns=2", "turns", 2],
    ["calls=2", "toolCalls", 2],
  ])("--budget %s ends the run before the model call beyond it", async (limits, limit, max) => {
    await using on = await stage([bash("true"), bash("true"), says("never")]);
    await using rpc = await on.start(["--budget", `${limits},reached=stop`]);
    await finish(rpc);
    expect(on.requests).toHaveLength(2);
    expect(told(rpc, "budget_reached")).toMatchObject([{ limit, used: max, max, scope: "run" }]);
    expect(told(rpc, "budget_warning")).toMatchObject([{ limit, used: max, max }]);
    expect(told(rpc, "agent_end")).toMatchObject([{ stopReason: "aborted", endedBy: "budget" }]);
    expect(await budgetOf(rpc)).toMatchObject({
      used: { costUsd: 2, tokens: 2000, turns: 2, toolCalls: 2 },
      left: { [limit]: 0 },
    });
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("starts again with each run, and warns once in each", async () => {
    await using on = await stage([says("one"), says("two")]);
    await using rpc = await on.start(["--budget", "turns=1,reached=stop"]);
    await finish(rpc);
    await finish(rpc);
    expect(on.requests).toHaveLength(2);
    expect(told(rpc, "budget_reached")).toEqual([]);
    expect(told(rpc, "budget_warning")).toHaveLength(2);
  });

  test("for a session covers all runs, including those of an earlier process", async () => {
    await using on = await stage([says("one"), says("two"), says("never")]);
    {
      await using rpc = await on.start();
      await finish(rpc);
    }
    const [file] = sessionFiles(on.place.sessionDir);
    await using rpc = await on.start(["--session", file as string, "--budget", "cost=2,scope=session,reached=stop"]);
    expect(await budgetOf(rpc)).toMatchObject({ used: { costUsd: 1, tokens: 1000, turns: 1 }, left: { costUsd: 1 } });
    await finish(rpc);
    expect(told(rpc, "budget_reached")).toEqual([]);
    await finish(rpc);
    expect(on.requests).toHaveLength(2);
    expect(told(rpc, "budget_reached")).toMatchObject([{ limit: "costUsd", used: 2, max: 2, scope: "session" }]);
    await rpc.call("new_session");
    expect(await budgetOf(rpc)).toMatchObject({ used: { turns: 0 }, left: { costUsd: 2 } });
  });

  test("counts failed attempts", async () => {
    await using on = await stage([broken, broken, says("never")]);
    await using rpc = await on.start(["--set", "retry.baseDelayMs=0", "--budget", "turns=2,reached=stop"]);
    await finish(rpc);
    expect(on.requests).toHaveLength(2);
    expect(told(rpc, "agent_end")).toMatchObject([{ endedBy: "budget" }]);
  });

  test("--max-time ends a running command", async () => {
    await using on = await stage([bash("sleep 600; touch late"), says("never")]);
    await using rpc = await on.start(["--max-time", "1"]);
    await finish(rpc);
    expect(on.requests).toHaveLength(1);
    expect(told(rpc, "budget_reached")).toMatchObject([{ limit: "wallMs", max: 1000 }]);
    expect(told(rpc, "agent_end")).toMatchObject([{ stopReason: "aborted", endedBy: "budget" }]);
    expect(existsSync(join(on.place.cwd, "late"))).toBe(false);
  });

  test("-p reports it and fails", async () => {
    await using on = await stage([bash("true"), says("never")]);
    const { env, cwd } = on.place;
    const args = ["-p", "--model", "local/m", "--budget", "turns=1", "go"];
    const { code, stderr } = await runProgram(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain("pintle: the budget is used up: turns 1 of 1\n");
  });
});

describe("a budget with reached=pause", () => {
  const paused = async (on: Awaited<ReturnType<typeof stage>>, flags: string[] = []) => {
    const rpc = await on.start(flags);
    await rpc.call("set_host_capabilities", { budgets: true });
    await rpc.call("set_budget", { costUsd: 1, turns: 10, scope: "run", onReached: "pause" });
    await rpc.call("prompt", { message: "go" });
    await until(rpc, "budget_reached");
    return rpc;
  };

  test("waits for the host, and continues if the host raises the limit enough", async () => {
    await using on = await stage([bash("true"), says("done")]);
    await using rpc = await paused(on);
    const { pending } = (await rpc.call("get_pending")).data;
    expect(pending).toMatchObject([{ kind: "budget", default: "stop", label: "costUsd" }]);
    expect((await rpc.call("get_state")).data.isStreaming).toBe(true);
    expect(on.requests).toHaveLength(1);
    expect((await rpc.call("raise_budget", { costUsd: 0.5 })).success).toBe(false);
    await rpc.call("raise_budget", { turns: 20 }); // not the budget that it waits for
    await rpc.until(() => told(rpc, "budget_reached").length === 2);
    await rpc.call("raise_budget", { costUsd: 5 });
    await until(rpc, "agent_settled");
    expect(told(rpc, "agent_end")).toMatchObject([{ stopReason: "stop" }]);
    expect(on.requests).toHaveLength(2);
    expect(await budgetOf(rpc)).toMatchObject({ used: { costUsd: 2 }, left: { costUsd: 3, turns: 18 } });
  });

  test("can be aborted like any run", async () => {
    await using on = await stage([bash("true"), says("never")]);
    await using rpc = await paused(on);
    await rpc.call("abort"); // answered when the session is idle
    const [end] = told(rpc, "agent_end");
    expect({ stopReason: end?.stopReason, endedBy: end?.endedBy }).toEqual({
      stopReason: "aborted",
      endedBy: undefined,
    });
    expect((await rpc.call("get_pending")).data.pending).toEqual([]);
    expect(on.requests).toHaveLength(1);
  });

  test("ends the run when the host does not answer in time", async () => {
    await using on = await stage([bash("true"), says("never")]);
    await using rpc = await paused(on, ["--set", "budget.timeoutMs=1000"]);
    await until(rpc, "agent_settled");
    expect(told(rpc, "agent_end")).toMatchObject([{ endedBy: "budget" }]);
  });

  test("does not wait for a host that does not support it", async () => {
    await using on = await stage([bash("true"), says("never")]);
    await using rpc = await on.start();
    await rpc.call("set_budget", { turns: 1 });
    await finish(rpc);
    expect(told(rpc, "agent_end")).toMatchObject([{ endedBy: "budget" }]);
  });
});

describe("an unknown price", () => {
  const UNKNOWN = /The price of local\/other is not known/;

  test("rejects a limit on cost, at startup, over RPC and when the model is switched", async () => {
    await using on = await stage([]);
    await using rpc = await on.start(["--budget", "cost=1"]);
    const refused = await rpc.call("set_model", { provider: "local", modelId: "other" });
    expect(refused).toMatchObject({ success: false, code: "invalid_request", error: expect.stringMatching(UNKNOWN) });
    expect((await rpc.call("set_model", { provider: "local", modelId: "free" })).success).toBe(true);
    await rpc.call("set_budget", {});
    expect((await rpc.call("set_model", { provider: "local", modelId: "other" })).success).toBe(true);
    expect((await rpc.call("set_budget", { costUsd: 1 })).error).toMatch(UNKNOWN);
    expect((await rpc.call("set_budget", { turns: 1 })).success).toBe(true);
    expect((await rpc.call("set_budget", { costUsd: 1, costUnknown: "ignore" })).success).toBe(true);
    const start = await rawExchange(["--model", "local/other", "--budget", "cost=1"], on.place, "");
    expect(start).toMatchObject({ stdout: "", stderr: expect.stringMatching(UNKNOWN) });
    expect(start.code).not.toBe(0);
  });

  test("rejects a prompt after cycling to another model", async () => {
    await using on = await stage([]);
    await using rpc = await on.start(["--models", "local/m,local/other", "--budget", "cost=1"]);
    expect((await rpc.call("cycle_model")).data.model.id).toBe("other");
    await rpc.call("prompt", { message: "go" });
    const failure = await rpc.until((frame) => frame.command === "prompt" && frame.success === false);
    expect(failure.error).toMatch(UNKNOWN);
    expect(on.requests).toEqual([]);
  });
});
