import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "@pintle/agent";
import type { ModelContext } from "@pintle/ai";
import { Type } from "typebox";
import { rejection } from "../../../../ai/test/support/rejection.ts";
import { StandaloneAgent } from "../../../src/extensibility/aliases/standalone-agent.ts";

const model = {
  id: "m",
  name: "M",
  api: "mine",
  provider: "nobody-knows",
  baseUrl: "",
  reasoning: false,
  input: ["text" as const],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

type Block = { type: "text"; text: string } | { type: "toolCall"; id: string; name: string; arguments: object };

const answer = (...content: Block[]) => {
  const reason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  return { role: "assistant", content, stopReason: reason, timestamp: 1 };
};

/** A stream function that returns these answers, one per request, and records the requests. */
function scripted(...answers: ReturnType<typeof answer>[]) {
  const requests: { messages: readonly { role: string }[]; apiKey?: unknown; tools: string[] }[] = [];
  const streamFn = async function* (_model: unknown, context: ModelContext, options: { apiKey?: unknown }) {
    const { messages, tools = [] } = context;
    requests.push({ messages, apiKey: options.apiKey, tools: tools.map(({ name }) => name) });
    const message = answers.shift()!;
    yield { type: "done", reason: message.stopReason, message };
  };
  return { requests, streamFn };
}

const call = (id: string, args: object = { text: "x" }): Block => ({
  type: "toolCall",
  id,
  name: "echo",
  arguments: args,
});

const echo = {
  name: "echo",
  description: "Repeats a text",
  parameters: Type.Object({ text: Type.String() }),
  execute: async (id: string, args: unknown) => ({
    content: [{ type: "text", text: `${id}: ${JSON.stringify(args)}` }],
  }),
};

describe("an extension's own agent", () => {
  test("calls the model, runs its tools and keeps the conversation", async () => {
    const { requests, streamFn } = scripted(answer(call("1")), answer({ type: "text", text: "done" }));
    const agent = new StandaloneAgent({
      initialState: { systemPrompt: "be brief", model, tools: [echo] },
      streamFn,
      getApiKey: (provider) => `key of ${provider}`,
    });
    const events: AgentEvent["type"][] = [];
    let endedLate = false;
    agent.subscribe(async ({ type }) => {
      events.push(type);
      if (type !== "agent_end") return;
      await Promise.resolve();
      endedLate = true;
    });
    await agent.prompt("go");
    expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(JSON.stringify(agent.state.messages[2])).toContain('1: {\\"text\\":\\"x\\"}');
    expect(requests.map(({ apiKey, tools }) => ({ apiKey, tools }))).toEqual(
      Array(2).fill({ apiKey: "key of nobody-knows", tools: ["echo"] }),
    );
    expect(events.at(-1)).toBe("agent_end");
    expect([endedLate, agent.state.isStreaming, agent.state.pendingToolCalls.size]).toEqual([true, false, 0]);
  });

  test("calls the hooks before and after each call", async () => {
    const { streamFn } = scripted(answer(call("1"), call("2")), answer({ type: "text", text: "done" }));
    const agent = new StandaloneAgent({
      initialState: { model, tools: [echo] },
      streamFn,
      toolExecution: "sequential",
      beforeToolCall: ({ toolCall }) => (toolCall.id === "1" ? { block: true, reason: "not the first" } : undefined),
      afterToolCall: ({ isError }) => ({ content: [{ type: "text", text: `amended, ${isError}` }] }),
    });
    await agent.prompt("go");
    const results = agent.state.messages.filter(({ role }) => role === "toolResult");
    expect(results.map((result) => JSON.stringify(result).includes("not the first"))).toEqual([true, false]);
    expect(JSON.stringify(results[1])).toContain("amended, false");
  });

  test("an abort ends the run, and the next turn includes a steered message", async () => {
    const { streamFn, requests } = scripted(answer(call("1")), answer({ type: "text", text: "done" }));
    const agent = new StandaloneAgent({ initialState: { model, tools: [echo] }, streamFn });
    agent.subscribe(({ type }) => {
      if (type === "tool_execution_start")
        agent.steer({ role: "user", content: [{ type: "text", text: "quick" }], timestamp: 2 });
    });
    await agent.prompt("go");
    expect(requests[1]!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "user"]);

    const waiting = new StandaloneAgent({
      initialState: { model, tools: [{ ...echo, execute: (_id, _args, signal) => untilAborted(signal!) }] },
      streamFn: scripted(answer(call("1"))).streamFn,
    });
    waiting.subscribe(({ type }) => {
      if (type === "tool_execution_start") setTimeout(() => waiting.abort());
    });
    await waiting.prompt("go");
    expect(JSON.stringify(waiting.state.messages.at(-1))).toContain("Tool execution was aborted");
  });

  test("reports a failed request as the last message, and rejects misuse", async () => {
    const agent = new StandaloneAgent({
      initialState: { model },
      streamFn: () => {
        throw new Error("no network");
      },
    });
    expect(String(await rejection(agent.continue()))).toContain("No messages");
    await agent.prompt("go");
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "error" });
    expect(agent.state.errorMessage).toContain("no network");
    agent.reset();
    expect(agent.state.messages).toEqual([]);
  });
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
