import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { RpcClosedError, type RpcEvent } from "../../src/core/index.ts";
import { agentEnd, assistant, connected, SETTLED, START } from "../support/scripted-server.ts";

const NEW = ["run_result", "output_schema"];
const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0.5 } };
const result = (extra: object = {}) => ({
  type: "prompt_result",
  id: "req_1",
  agentInvoked: true,
  status: "completed",
  stopReason: "stop",
  endedBy: "stop",
  text: "told",
  usage: USAGE,
  cost: 0.25,
  models: [],
  turns: 3,
  toolCalls: 2,
  durationMs: 9,
  sessionId: "other",
  filesChanged: [],
  denials: [],
  sessionSettled: true,
  ...extra,
});

describe("the result of a run", () => {
  test("is the one that the server reports", async () => {
    const { client, server } = await connected({}, NEW);
    const run = client.run("x");
    server.say(server.ok("prompt"), START, agentEnd("done"), SETTLED);
    expect(client.isIdle).toBe(false);
    server.say(result({ omitted: { denials: 3 } }));
    const { messages, ...rest } = await run.result;
    const { type: _type, id: _id, sessionSettled: _settled, ...reported } = result({ omitted: { denials: 3 } });
    expect<object>(rest).toEqual(reported);
    expect(messages).toHaveLength(1);
    expect(client.isIdle).toBe(true);
  });

  test("belongs to its own prompt, even if two have joined one run", async () => {
    const { client, server } = await connected({}, NEW);
    const first = client.run("x");
    server.say(server.ok("prompt"), START);
    const second = client.run("y", { streamingBehavior: "followUp" });
    server.say(server.ok("prompt"), agentEnd("both"), SETTLED, result({ id: "req_2", text: "second" }), result());
    expect([(await first.result).text, (await second.result).text]).toEqual(["told", "second"]);
  });

  test("follows from agent_end if the session settled without one", async () => {
    const { client, server } = await connected({}, NEW);
    const run = client.run("x");
    server.say(server.ok("prompt"), START, agentEnd("done"), SETTLED, { type: "session_settled" });
    expect(await run.result).toMatchObject({ status: "completed", endedBy: "stop", text: "done" });
  });

  test("follows from agent_end with an older server", async () => {
    const { client, server } = await connected();
    const run = client.run("x");
    const usage = { ...USAGE, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 } };
    const answer = assistant("done", { provider: "p", model: "m", usage });
    const calls = { ...answer, content: [{ type: "toolCall", id: "1", name: "ls", arguments: {} }] };
    server.say(server.ok("prompt"), START, { type: "agent_end", messages: [calls, answer], stopReason: "stop" });
    expect(await run.result).toMatchObject({
      status: "completed",
      endedBy: "stop",
      text: "done",
      turns: 2,
      toolCalls: 1,
      cost: 1,
      sessionId: "s",
      models: [{ provider: "p", model: "m", turns: 2, cost: 1 }],
      usage: { totalTokens: 6 },
    });
  });

  test.each([
    ["budget", "aborted"],
    ["denied", "aborted"],
  ])("of an older server knows of a %s", async (endedBy, status) => {
    const { client, server } = await connected();
    const run = client.run("x");
    server.say(server.ok("prompt"), START, { ...agentEnd("part"), stopReason: "aborted", endedBy });
    expect(await run.result).toMatchObject({ status, endedBy });
  });
});

describe("an output", () => {
  const schema = { type: "object", properties: { line: { type: "integer" } }, required: ["line"] } as const;

  test("is requested with the prompt", async () => {
    const { client, server } = await connected({}, NEW);
    const run = client.run("x", { outputSchema: schema });
    expect(server.last).toMatchObject({ type: "prompt", outputSchema: schema });
    server.say(server.ok("prompt"), START, agentEnd(""), SETTLED, result({ output: { line: 3 } }));
    const got = await run.result;
    expect(got.status === "completed" && got.output.line).toBe(3);
  });

  test("is rejected before anything is sent to an older server", async () => {
    const { client, server } = await connected();
    expect(await rejection(client.promptAndWait("x", { outputSchema: schema }))).toMatchObject({
      code: "not_supported",
    });
    expect(server.received).toEqual([]);
  });

  test("is the validated value of a Standard Schema", async () => {
    const { client, server } = await connected({}, NEW);
    const run = client.run("x", { outputSchema: z.object({ day: z.string().transform((day) => day.length) }) });
    expect(server.last.outputSchema).toMatchObject({ type: "object", properties: { day: { type: "string" } } });
    server.say(server.ok("prompt"), START, agentEnd(""), result({ output: { day: "Monday" } }));
    const got = await run.result;
    expect(got.status === "completed" && got.output.day).toBe(6);
  });

  test("that only the client rejects ends the run with `output`", async () => {
    const { client, server } = await connected({}, NEW);
    const run = client.run("x", { outputSchema: z.object({ day: z.string().refine((day) => day !== "Monday") }) });
    server.say(server.ok("prompt"), START, agentEnd(""), result({ output: { day: "Monday" } }));
    const got = await run.result;
    expect(got).toMatchObject({ status: "error", endedBy: "output", rejectedOutput: { day: "Monday" } });
    expect(got.error?.message).toContain("/day");
    expect("output" in got).toBe(false);
  });

  test("has a default that is declared at the start and applies to every prompt, unless a prompt disables it", async () => {
    const { client, server } = await connected({ outputSchema: z.object({ day: z.string().max(3) }) }, NEW);
    expect(server.received[0]).toMatchObject({
      type: "set_output_schema",
      schema: { properties: { day: { maxLength: 3 } } },
    });
    const first = client.run("x");
    server.say(server.ok("prompt"), START, agentEnd(""), result({ id: server.last.id, output: { day: "Monday" } }));
    expect(await first.result).toMatchObject({ endedBy: "output" });
    const second = client.run("x", { outputSchema: false });
    expect(server.last).toMatchObject({ outputSchema: false });
    server.say(server.ok("prompt"), START, agentEnd(""), result({ id: server.last.id }));
    expect(await second.result).toMatchObject({ status: "completed" });
  });
});

describe("the timeout", () => {
  test("is enforced by the server", async () => {
    const { client, server } = await connected({}, NEW);
    const run = client.promptAndWait("x", { timeoutMs: 60_000 });
    expect(server.last).toMatchObject({ timeoutMs: 60_000 });
    const aborted = { ...agentEnd("half"), stopReason: "aborted" };
    server.say(server.ok("prompt"), START, aborted, result({ status: "aborted", endedBy: "timeout" }));
    expect(await run).toMatchObject({ status: "aborted", endedBy: "timeout" });
  });

  test("is enforced here with an older server", async () => {
    const { client, server } = await connected();
    const run = client.promptAndWait("x", { timeoutMs: 1 });
    expect(server.last.timeoutMs).toBeUndefined();
    server.say(server.ok("prompt"), START);
    await server.sent("abort");
    server.say({ ...agentEnd("half"), stopReason: "aborted" });
    expect(await run).toMatchObject({ status: "aborted", endedBy: "timeout", text: "half" });
  });
});

test("a closed connection rejects with the run so far", async () => {
  const { client, server } = await connected({}, NEW);
  const run = client.run("x");
  server.say(server.ok("prompt"), START, { type: "message_start", message: assistant("half") });
  server.close(new RpcClosedError("gone", { code: 3, stderr: "boom" }));
  const error = await rejection(run.result);
  expect(error).toBeInstanceOf(RpcClosedError);
  expect(error).toMatchObject({ message: "gone\nboom", code: 3, partial: { status: "error", text: "half" } });
});

describe("query", () => {
  async function typesOf(events: AsyncIterable<RpcEvent>): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of events) types.push(type);
    return types;
  }

  test("yields every event, with prompt_result last", async () => {
    const { client, server } = await connected({}, NEW);
    const query = client.query("x");
    server.say(server.ok("prompt"), START, agentEnd("done"), SETTLED, result(), { type: "session_settled" });
    expect(await typesOf(query)).toEqual(["agent_start", "agent_end", "agent_settled", "prompt_result"]);
    expect((await query.result).text).toBe("told");
  });

  test("aborts the run when its loop is left", async () => {
    const { client, server } = await connected({}, NEW);
    const query = client.query("x");
    server.say(server.ok("prompt"), START);
    const left = (async () => {
      for await (const { type } of query) if (type === "agent_start") break;
    })();
    await server.sent("abort");
    server.say({ ...agentEnd("half"), stopReason: "aborted" }, result({ status: "aborted", endedBy: "abort" }));
    await left;
    expect(await query.result).toMatchObject({ status: "aborted", endedBy: "abort" });
  });

  test("rejects and sends nothing if its signal is already aborted", async () => {
    const { client, server } = await connected({}, NEW);
    const reason = new Error("too late");
    const query = client.query("x", { signal: AbortSignal.abort(reason) });
    expect(await rejection(query.result)).toBe(reason);
    expect(await rejection(typesOf(query))).toBe(reason);
    expect(server.received).toEqual([]);
  });
});
