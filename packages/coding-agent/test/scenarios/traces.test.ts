import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { startHttpServer } from "../support/mcp/http-server.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { type Receiver, startReceiver } from "../support/traces/receiver.ts";

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const [, TRACE, PARENT_SPAN] = PARENT.split("-") as [string, string, string];

const traced = ({ place }: ChatPlace, receiver: Receiver, env: Record<string, string> = {}) => ({
  ...place,
  env: { ...place.env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env },
});

describe("a run as spans", () => {
  test("the run, its model calls and its tool calls are part of the host's trace", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: "echo $TRACEPARENT" } }),
      says("ok"),
    );
    await using rpc = await startRpc([...CHAT, "--tools", "bash"], traced(chat, receiver));
    const { sessionId } = (await rpc.call("get_state")).data;
    await rpc.call("prompt", { message: "go", traceparent: PARENT, tracestate: "vendor=1" });
    const { result } = await rpc.until(({ type }) => type === "tool_execution_end");
    await rpc.until(({ type }) => type === "agent_settled");
    expect(await rpc.end()).toBe(0);

    expect(receiver.faults).toEqual([]);
    expect(receiver.spans.map(({ name }) => name)).toEqual([
      "chat m",
      "execute_tool bash",
      "chat m",
      "invoke_agent pintle",
    ]);
    const run = receiver.span("invoke_agent pintle");
    expect(run).toMatchObject({ traceId: TRACE, parentSpanId: PARENT_SPAN, kind: 1, traceState: "vendor=1" });
    expect(run.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": sessionId,
      "gen_ai.response.finish_reasons": ["stop"],
      "pintle.run.model_calls": 2,
    });
    const below = receiver.spans.filter(({ name }) => name !== run.name);
    expect(below.map(({ traceId, parentSpanId }) => ({ traceId, parentSpanId }))).toEqual(
      below.map(() => ({ traceId: TRACE, parentSpanId: run.spanId })),
    );
    expect(receiver.span("chat m")).toMatchObject({ kind: 3 });
    expect(receiver.span("chat m").attributes).toMatchObject({
      "gen_ai.provider.name": "local",
      "gen_ai.request.model": "m",
      "gen_ai.response.finish_reasons": ["toolUse"],
      "server.address": "127.0.0.1",
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
    });
    const tool = receiver.span("execute_tool bash");
    expect(tool.attributes).toMatchObject({ "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "call_1" });
    // Processes that the command starts belong to the call.
    expect(result.content[0].text).toContain(`00-${TRACE}-${tool.spanId}-01`);
    expect(BigInt(tool.startTimeUnixNano)).toBeLessThan(BigInt(tool.endTimeUnixNano));
  });

  test("content is not exported unless requested, and then without known secrets", async () => {
    const key = "sk-test-0123456789abcdef0123";
    for (const isCaptured of [false, true]) {
      using receiver = startReceiver();
      await using chat = await chatPlace(callsTools({ name: "read", args: { path: "note.txt" } }), says("the answer"));
      writeFileSync(join(chat.place.cwd, "note.txt"), `the key is ${key}`);
      const env: Record<string, string> = isCaptured
        ? { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" }
        : {};
      await using rpc = await startRpc(CHAT, traced(chat, receiver, env));
      await rpc.prompt("my question");
      await rpc.end();
      expect(receiver.faults).toEqual([]);
      const sent = JSON.stringify(receiver.spans);
      for (const text of ["my question", "the answer", "note.txt", "the key is"]) {
        expect({ text, isSent: sent.includes(text) }).toEqual({ text, isSent: isCaptured });
      }
      expect(sent).not.toContain(key);
    }
  });

  test("a failed call and its retry, with the kind of failure but not its message", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(sendStatus(503, '{"error":{"message":"secret detail"}}'), says("ok"));
    const settings = join(chat.place.env.PINTLE_HOME as string, "settings.json");
    writeFileSync(settings, JSON.stringify({ retry: { baseDelayMs: 1 } }));
    await using rpc = await startRpc(CHAT, traced(chat, receiver));
    await rpc.prompt("go");
    await rpc.end();
    const [failed, repeated] = receiver.spans.filter(({ name }) => name === "chat m");
    expect(failed).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "503" } });
    expect(repeated?.attributes).toMatchObject({ "pintle.retry.attempt": 1 });
    expect(repeated?.status).toEqual({});
    expect(receiver.span("invoke_agent pintle").events.map(({ name }) => name)).toEqual(["pintle.retry"]);
    expect(JSON.stringify(receiver.spans)).not.toContain("secret detail");
  });

  test("waiting for the host: an approval and a host tool, which receives its trace context", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(
      callsTools({ name: "deploy", id: "call_a" }),
      callsTools({ name: "bash", args: { command: "true" }, id: "call_b" }),
      says("ok"),
    );
    await using rpc = await startRpc([...CHAT, "--permissions", "ask"], traced(chat, receiver));
    await rpc.call("set_host_capabilities", { approvals: true });
    const tool = { name: "deploy", description: "Deploys.", parameters: { type: "object" } };
    await rpc.call("set_host_tools", { tools: [tool] });
    await rpc.call("prompt", { message: "go" });
    const asked = new Set(["approval_request", "host_tool_call", "agent_settled"]);
    let call: Frame = {};
    for (let frame: Frame = {}; frame.type !== "agent_settled"; ) {
      frame = await rpc.until(({ type }) => asked.has(type));
      if (frame.type === "approval_request") {
        rpc.send({ type: "approval_response", id: frame.id, decision: "allow_once" });
      } else if (frame.type === "host_tool_call") {
        call = frame;
        rpc.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "done" }] } });
      }
    }
    await rpc.end();
    expect(receiver.faults).toEqual([]);
    const deploy = receiver.span("execute_tool deploy");
    expect(call.traceparent).toBe(`00-${deploy.traceId}-${deploy.spanId}-01`);
    expect(receiver.span("wait host_tool")).toMatchObject({
      parentSpanId: deploy.spanId,
      attributes: { "pintle.wait.kind": "host_tool", "pintle.wait.ended_by": "host" },
    });
    expect(receiver.span("wait approval").attributes).toMatchObject({ "pintle.wait.ended_by": "host" });
  });

  test("an MCP server receives the trace context of its call", async () => {
    using receiver = startReceiver();
    await using server = await startHttpServer();
    await using chat = await chatPlace(callsTools({ name: "mcp__one__surroundings", args: {} }), says("ok"));
    const servers = { mcpServers: { one: { url: server.url } } };
    writeFileSync(join(chat.place.env.PINTLE_HOME as string, "mcp.json"), JSON.stringify(servers));
    await using rpc = await startRpc(CHAT, traced(chat, receiver));
    await rpc.call("prompt", { message: "go", traceparent: PARENT });
    const { result } = await rpc.until(({ type }) => type === "tool_execution_end");
    await rpc.until(({ type }) => type === "agent_settled");
    await rpc.end();
    const { spanId } = receiver.span("execute_tool mcp__one__surroundings");
    expect(result.content[0].text).toContain(`"traceparent":"00-${TRACE}-${spanId}-01"`);
  });

  test("a compaction, with its own model call as a child span", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(says("a long answer"), says("a summary"));
    await using rpc = await startRpc(CHAT, traced(chat, receiver));
    await rpc.prompt("first");
    await rpc.call("compact");
    await rpc.end();
    const compaction = receiver.spans.find(({ name }) => name === "compaction");
    if (!compaction) throw new Error(`no compaction among ${receiver.spans.map(({ name }) => name)}`);
    expect(compaction.attributes).toMatchObject({ "pintle.compaction.reason": "manual" });
  });

  test("a run that is interrupted by the end of the program is exported up to that point", async () => {
    using receiver = startReceiver();
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, traced(chat, receiver));
    await rpc.call("prompt", { message: "go" });
    await held.asked;
    await rpc.call("abort");
    await rpc.end();
    expect(receiver.span("chat m").attributes).toMatchObject({ "error.type": "aborted" });
    expect(receiver.span("invoke_agent pintle").attributes).toMatchObject({
      "gen_ai.response.finish_reasons": ["aborted"],
    });
  });
});

describe("metrics", () => {
  test("tokens, durations and time to first token, by operation", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(callsTools({ name: "ls" }), says("ok"));
    await using rpc = await startRpc(CHAT, traced(chat, receiver));
    await rpc.prompt("go");
    await rpc.end();
    expect(receiver.faults).toEqual([]);
    const names = receiver.metrics.map(({ name }) => name);
    expect(names).toContain("gen_ai.client.operation.duration");
    expect(names).toContain("gen_ai.client.operation.time_to_first_chunk");
    const { histogram } = receiver.metrics.find(({ name }) => name === "gen_ai.client.operation.duration");
    const operations = histogram.dataPoints.map(({ attributes, count }: { attributes: never[]; count: string }) => [
      (attributes as { key: string; value: { stringValue: string } }[]).find(
        ({ key }) => key === "gen_ai.operation.name",
      )?.value.stringValue,
      count,
    ]);
    expect(Object.fromEntries(operations)).toEqual({ chat: "2", execute_tool: "1", invoke_agent: "1" });
  });
});

describe("the destination of traces", () => {
  test("the settings name the receiver; headers reach it and commands do not see them", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(callsTools({ name: "bash", args: { command: "env" } }), says("ok"));
    const env = {
      OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=abc%20def123456",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_SERVICE_NAME: "my service",
    };
    await using rpc = await startRpc(CHAT, traced(chat, receiver, env));
    await rpc.call("prompt", { message: "go" });
    const { result } = await rpc.until(({ type }) => type === "tool_execution_end");
    await rpc.until(({ type }) => type === "agent_settled");
    await rpc.end();
    expect(receiver.faults).toEqual([]);
    expect(receiver.requests[0]?.headers).toMatchObject({ "x-api-key": "abc def123456", "content-encoding": "gzip" });
    expect(result.content[0].text).toContain("OTEL_SERVICE_NAME");
    expect(result.content[0].text).not.toContain("abc%20def");
  });

  test("nothing is sent when OpenTelemetry is disabled, and the host's trace is still propagated", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: "echo $TRACEPARENT" } }),
      says("ok"),
    );
    await using rpc = await startRpc(CHAT, traced(chat, receiver, { OTEL_SDK_DISABLED: "true" }));
    await rpc.call("prompt", { message: "go", traceparent: PARENT });
    const { result } = await rpc.until(({ type }) => type === "tool_execution_end");
    await rpc.until(({ type }) => type === "agent_settled");
    await rpc.end();
    expect(result.content[0].text).toContain(PARENT);
    expect(receiver.requests).toEqual([]);
  });

  test("a run outside the sample is not sent, and neither are its child spans", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(
      callsTools({ name: "bash", args: { command: "echo $TRACEPARENT" } }),
      says("ok"),
    );
    const env = { OTEL_METRICS_EXPORTER: "none" };
    await using rpc = await startRpc(CHAT, traced(chat, receiver, env));
    await rpc.call("prompt", { message: "go", traceparent: PARENT.replace(/01$/, "00") });
    const { result } = await rpc.until(({ type }) => type === "tool_execution_end");
    await rpc.until(({ type }) => type === "agent_settled");
    await rpc.end();
    expect(result.content[0].text).toMatch(new RegExp(`00-${TRACE}-[0-9a-f]{16}-00`));
    expect(receiver.requests).toEqual([]);
  });

  test("without its own trace a run uses the one in the environment, and ignores an invalid one", async () => {
    using receiver = startReceiver();
    await using chat = await chatPlace(says("ok"));
    await using rpc = await startRpc(CHAT, traced(chat, receiver, { TRACEPARENT: PARENT }));
    await rpc.call("prompt", { message: "go", traceparent: "nonsense" });
    await rpc.until(({ type }) => type === "agent_settled");
    await rpc.end();
    expect(receiver.span("invoke_agent pintle")).toMatchObject({ traceId: TRACE, parentSpanId: PARENT_SPAN });
  });
});

describe("a faulty receiver affects only its traces", () => {
  test("if it is unavailable, the run ends as usual and the log reports it once", async () => {
    const receiver = startReceiver();
    receiver[Symbol.dispose]();
    await using chat = await chatPlace(says("ok"));
    await using rpc = await startRpc(CHAT, traced(chat, receiver, { OTEL_BSP_SCHEDULE_DELAY: "1" }));
    await rpc.prompt("one");
    await rpc.prompt("two");
    expect(await rpc.end()).toBe(0);
    const log = await rpc.stderr();
    expect(log.match(/traces cannot be sent/g)).toHaveLength(1);
  });

  test("if it never answers, the program waits for a limited time at its end", async () => {
    using receiver = startReceiver(() => new Promise<Response>(() => {}));
    await using chat = await chatPlace(says("ok"));
    await using rpc = await startRpc(CHAT, traced(chat, receiver));
    await rpc.prompt("one");
    expect(await rpc.end()).toBe(0);
    expect(receiver.requests.length).toBeGreaterThan(0);
  });

  test("if it refuses for a while, waiting spans arrive later, once", async () => {
    let refusals = 2;
    using receiver = startReceiver(() => {
      refusals -= 1;
      return refusals >= 0 ? new Response("", { status: 503, headers: { "retry-after": "0.01" } }) : Response.json({});
    });
    await using chat = await chatPlace(says("ok"));
    const env = { OTEL_BSP_SCHEDULE_DELAY: "1", OTEL_METRICS_EXPORTER: "none" };
    await using rpc = await startRpc(CHAT, traced(chat, receiver, env));
    await rpc.prompt("one");
    while (receiver.requests.length < 3) await Bun.sleep(5);
    await rpc.end();
    expect(receiver.spans.filter(({ name }) => name === "invoke_agent pintle")).toHaveLength(1);
  });

  test("keys in headers appear in no message", async () => {
    await using chat = await chatPlace(says("ok"));
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer very-secret-key",
      OTEL_BSP_SCHEDULE_DELAY: "1",
    };
    await using rpc = await startRpc(CHAT, { ...chat.place, env: { ...chat.place.env, ...env } });
    await rpc.prompt("one");
    const { sessionFile } = (await rpc.call("get_state")).data;
    await rpc.end();
    const texts = [await rpc.stderr(), JSON.stringify(rpc.frames), readFileSync(sessionFile, "utf8")];
    expect(texts.some((text) => text.includes("very-secret-key"))).toBe(false);
  });
});
