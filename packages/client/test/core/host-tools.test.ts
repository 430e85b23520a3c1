import { describe, expect, test } from "bun:test";
import { type HostTool, type HostToolContext, RpcCore } from "../../src/core/index.ts";
import { connected, READY, ScriptedServer } from "../support/scripted-server.ts";

const tool = (name: string, execute: HostTool["execute"]): HostTool => ({
  name,
  description: "d",
  parameters: { type: "object" },
  execute,
});

const call = (toolName: string, args: object = {}) => ({
  type: "host_tool_call",
  id: "host_1",
  toolCallId: "call_1",
  toolName,
  arguments: args,
});

async function withTools(...tools: HostTool[]) {
  const client = new RpcCore({ customTools: tools });
  const server = new ScriptedServer();
  const started = client.connect(server.transport);
  server.say(READY);
  await new Promise((resolve) => setImmediate(resolve));
  server.say(server.ok("set_host_tools", { toolNames: tools.map(({ name }) => name) }));
  await started;
  return { client, server };
}

/** Returns what was sent for the call, which happens in a later turn of the event loop. */
async function answers(server: ScriptedServer) {
  await new Promise((resolve) => setImmediate(resolve));
  return server.received.filter(({ type }) => type.startsWith("host_tool_"));
}

const text = (value: string) => [{ type: "text", text: value }];

test("declares the tools at the start, without their functions", async () => {
  const { server } = await withTools({ ...tool("a", () => ""), label: "A", hidden: true, timeoutMs: 5 });
  expect(server.received[0]).toEqual({
    id: "req_1",
    type: "set_host_tools",
    tools: [{ name: "a", description: "d", parameters: { type: "object" }, label: "A", hidden: true, timeoutMs: 5 }],
  });
});

describe("a call", () => {
  test("runs the function with its arguments; a string becomes one text block", async () => {
    const { server } = await withTools(tool("echo", (args, { toolCallId }) => `${args.say} for ${toolCallId}`));
    server.say(call("echo", { say: "hello" }));
    expect(await answers(server)).toEqual([
      { type: "host_tool_result", id: "host_1", result: { content: text("hello for call_1") } },
    ]);
  });

  test("sends a complete result unchanged, with errors marked", async () => {
    const { server } = await withTools(
      tool("full", async () => ({ content: [{ type: "text", text: "x" }], details: { n: 1 }, isError: true })),
    );
    server.say(call("full"));
    expect(await answers(server)).toEqual([
      { type: "host_tool_result", id: "host_1", result: { content: text("x"), details: { n: 1 } }, isError: true },
    ]);
  });

  test("sends progress immediately", async () => {
    const { server } = await withTools(
      tool("slow", (_args, { sendUpdate }) => {
        sendUpdate("half");
        return "whole";
      }),
    );
    server.say(call("slow"));
    expect(await answers(server)).toEqual([
      { type: "host_tool_update", id: "host_1", partialResult: { content: text("half") } },
      { type: "host_tool_result", id: "host_1", result: { content: text("whole") } },
    ]);
  });

  test.each([
    [
      "thrown",
      () => {
        throw new Error("no luck");
      },
      "no luck",
    ],
    ["rejected", () => Promise.reject("plain"), "plain"],
  ] as const)("a function that has %s is an error", async (_how, execute, message) => {
    const { server } = await withTools(tool("bad", execute));
    server.say(call("bad"));
    expect(await answers(server)).toEqual([
      { type: "host_tool_result", id: "host_1", result: { content: text(message) }, isError: true },
    ]);
  });

  test("reports a result that is not JSON as an error", async () => {
    const { server } = await withTools(tool("big", () => ({ content: [], details: 1n })));
    server.say(call("big"));
    expect(await answers(server)).toMatchObject([{ type: "host_tool_result", isError: true }]);
  });

  test("answers a call of an unknown tool", async () => {
    const { server } = await withTools(tool("known", () => ""));
    server.say(call("unknown"));
    expect(await answers(server)).toMatchObject([
      { isError: true, result: { content: text('Host tool "unknown" is not registered') } },
    ]);
  });
});

describe("when a call ends", () => {
  test("a cancellation aborts the signal, and nothing is sent", async () => {
    let context: HostToolContext | undefined;
    const end = Promise.withResolvers<string>();
    const { server } = await withTools(
      tool("long", (_args, given) => {
        context = given;
        return end.promise;
      }),
    );
    server.say(call("long"), { type: "host_tool_cancel", id: "c", targetId: "host_1" });
    expect(context?.signal.aborted).toBe(true);
    context?.sendUpdate("late");
    end.resolve("late");
    expect(await answers(server)).toEqual([]);
  });

  test("a disconnect aborts the signal", async () => {
    let signal: AbortSignal | undefined;
    const { client, server } = await withTools(
      tool("long", (_args, context) => {
        signal = context.signal;
        return new Promise(() => {});
      }),
    );
    server.say(call("long"));
    client.disconnect();
    expect(signal?.aborted).toBe(true);
  });

  test("no update is sent after the result", async () => {
    let late: HostToolContext | undefined;
    const { server } = await withTools(
      tool("done", (_args, context) => {
        late = context;
        return "ok";
      }),
    );
    server.say(call("done"));
    await answers(server);
    late?.sendUpdate("more");
    expect(await answers(server)).toHaveLength(1);
  });
});

describe("setCustomTools", () => {
  test("a call right after the response finds the new function", async () => {
    const { client, server } = await withTools(tool("t", () => "old"));
    const set = client.setCustomTools([tool("t", () => "new")]);
    server.say(server.ok("set_host_tools", { toolNames: ["t"] }), call("t"));
    expect(await set).toEqual({ toolNames: ["t"] });
    expect(await answers(server)).toMatchObject([{ result: { content: text("new") } }]);
  });

  test("keeps the old tools if the server rejects the new ones", async () => {
    const { client, server } = await withTools(tool("t", () => "old"));
    const set = client.setCustomTools([tool("t", () => "new")]);
    server.say(server.fail("set_host_tools", "RPC host tool names must be unique"), call("t"));
    await expect(set).rejects.toThrow("unique");
    expect(await answers(server)).toMatchObject([{ result: { content: text("old") } }]);
  });

  test("declares the latest tools to the next server", async () => {
    const { client, server } = await connected();
    const set = client.setCustomTools([tool("later", () => "")]);
    server.say(server.ok("set_host_tools", { toolNames: ["later"] }));
    await set;
    client.disconnect();
    const next = new ScriptedServer();
    const started = client.connect(next.transport);
    next.say(READY);
    await new Promise((resolve) => setImmediate(resolve));
    expect(next.last).toMatchObject({ type: "set_host_tools", tools: [{ name: "later" }] });
    next.say(next.ok("set_host_tools", { toolNames: ["later"] }));
    await started;
  });
});

test("replaces queued progress while the server reads slowly", async () => {
  const { server } = await withTools(
    tool("busy", (_args, { sendUpdate }) => {
      for (let n = 0; n < 1000; n += 1) sendUpdate(String(n));
      return "end";
    }),
  );
  const room = Promise.withResolvers<void>();
  server.full = room.promise;
  server.say(call("busy"));
  await answers(server);
  server.full = undefined;
  room.resolve();
  expect(await answers(server)).toMatchObject([
    { type: "host_tool_update", partialResult: { content: text("0") } },
    { type: "host_tool_result", result: { content: text("end") } },
  ]);
});

describe("a call that is redelivered after a lost connection", () => {
  const redelivered = (toolName: string) => ({ ...call(toolName), redelivered: true });

  test("is not executed again while it runs, and has one result", async () => {
    const done = Promise.withResolvers<string>();
    let calls = 0;
    const { server } = await withTools(
      tool("slow", () => {
        calls += 1;
        return done.promise;
      }),
    );
    server.say(call("slow"));
    server.say(redelivered("slow"));
    done.resolve("once");
    expect(await answers(server)).toEqual([
      { type: "host_tool_result", id: "host_1", result: { content: text("once") } },
    ]);
    expect(calls).toBe(1);
  });

  test("resends the result that was already sent", async () => {
    let calls = 0;
    const { server } = await withTools(
      tool("fast", () => {
        calls += 1;
        return `call ${calls}`;
      }),
    );
    server.say(call("fast"));
    await answers(server);
    server.say(redelivered("fast"));
    const result = { type: "host_tool_result", id: "host_1", result: { content: text("call 1") } };
    expect(await answers(server)).toEqual([result, result]);
    expect(calls).toBe(1);
  });

  test.each([
    [undefined, false],
    [{ readOnlyHint: true }, true],
    [{ idempotentHint: true }, true],
  ])("that this program does not know: a tool with %p runs: %p", async (annotations, runs) => {
    let calls = 0;
    const { server } = await withTools({
      ...tool("t", () => {
        calls += 1;
        return "ran";
      }),
      ...(annotations && { annotations }),
    });
    server.say(redelivered("t"));
    const [answer] = await answers(server);
    expect(calls).toBe(runs ? 1 : 0);
    expect(answer?.isError ?? false).toBe(!runs);
    expect(answer?.result.content[0].text).toContain(runs ? "ran" : "unknown");
  });
});
