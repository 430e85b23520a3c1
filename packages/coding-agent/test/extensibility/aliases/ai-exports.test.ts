import { describe, expect, test } from "bun:test";
import type { AssistantMessage, AssistantMessageEvent, Model } from "@pintle/ai";
import { aiOffer } from "../../../src/extensibility/aliases/ai-exports.ts";
import { codingAgentOffer } from "../../../src/extensibility/aliases/coding-agent-exports.ts";
import { MessageEventStream } from "../../../src/extensibility/aliases/message-event-stream.ts";

type Call = (model: Model, context: object, options?: object) => MessageEventStream;
const ai = aiOffer.works as Record<string, (...args: never[]) => unknown>;
const pi = codingAgentOffer.works as Record<string, (...args: never[]) => unknown>;

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** A server that says hello. */
function serve() {
  const seen: { authorization: string | null; body: Record<string, unknown> }[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      seen.push({
        authorization: request.headers.get("authorization"),
        body: (await request.json()) as Record<string, unknown>,
      });
      const body = `${chunk({ content: "hel" })}${chunk({ content: "lo" })}${chunk({}, "stop")}data: [DONE]\n\n`;
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const model = {
    id: "m",
    name: "M",
    api: "openai-completions",
    provider: "nobody-knows",
    baseUrl: String(server.url),
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1000,
    maxTokens: 100,
  } as Model;
  return { server, seen, model };
}

const context = { messages: [{ role: "user", content: "hi", timestamp: 1 }] };

describe("calling models from an extension", () => {
  test("streams events, then the message; the request includes the options", async () => {
    const { server, seen, model } = serve();
    using _server = server;
    const stream = (ai.stream as Call)(model, context, { apiKey: "k", maxTokens: 7 });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
    expect(await stream.result()).toMatchObject({ content: [{ type: "text", text: "hello" }], stopReason: "stop" });
    expect(seen[0]!.authorization).toBe("Bearer k");
    expect(JSON.stringify(seen[0]!.body)).toContain("7");
  });

  test("returns only the message, also over an API other than the model's and without a key", async () => {
    const { server, seen, model } = serve();
    using _server = server;
    const message = await (ai.complete as (...args: Parameters<Call>) => Promise<AssistantMessage>)(model, context);
    expect(message.content).toEqual([expect.objectContaining({ text: "hello" })]);
    const other = (ai.streamSimpleOpenAICompletions as Call)({ ...model, api: "elsewhere" }, context);
    expect((await other.result()).stopReason).toBe("stop");
    expect(seen).toHaveLength(2);
  });

  test("treats an undefined key as absent and uses the one from the environment", async () => {
    const { server, seen, model } = serve();
    using _server = server;
    const before = process.env.DEEPSEEK_API_KEY;
    process.env.DEEPSEEK_API_KEY = "of-the-environment";
    try {
      const options = { apiKey: undefined, headers: undefined };
      await (ai.stream as Call)({ ...model, provider: "deepseek" }, context, options).result();
    } finally {
      if (before === undefined) delete process.env.DEEPSEEK_API_KEY;
      else process.env.DEEPSEEK_API_KEY = before;
    }
    expect(seen[0]!.authorization).toBe("Bearer of-the-environment");
  });

  test("returns a failure as a message", async () => {
    const { server, model } = serve();
    server.stop(true);
    const message = await (ai.complete as (...args: Parameters<Call>) => Promise<AssistantMessage>)(model, context);
    expect(message.stopReason).toBe("error");
    expect(message.errorMessage).not.toBe("");
  });

  test("exports models, schemas and costs", () => {
    const [provider] = ai.getProviders!() as string[];
    const [first] = ai.getModels!(provider as never) as Model[];
    expect(ai.getModel!(provider as never, first!.id as never)).toBe(first);
    expect(ai.StringEnum!(["a", "b"] as never, { description: "d" } as never)).toMatchObject({
      type: "string",
      enum: ["a", "b"],
      description: "d",
    });
    const usage = { input: 1_000_000, output: 500_000, cacheRead: 0, cacheWrite: 0, cost: {} };
    ai.calculateCost!({ cost: { input: 2, output: 4, cacheRead: 0, cacheWrite: 0 } } as never, usage as never);
    expect(usage.cost).toEqual({
      input: 2,
      output: 2,
      cacheRead: 0,
      cacheWrite: 0,
      total: 4,
      totalFromProvider: false,
    });
  });
});

describe("MessageEventStream", () => {
  const message = { role: "assistant" } as AssistantMessage;

  test("streams what an extension's own provider pushes; the result may be requested first", async () => {
    const stream = new MessageEventStream();
    const result = stream.result();
    const read = (async () => {
      const seen: string[] = [];
      for await (const { type } of stream) seen.push(type);
      return seen;
    })();
    stream.push({ type: "start", partial: message });
    await Bun.sleep(0);
    stream.push({ type: "done", reason: "stop", message });
    stream.push({ type: "start", partial: message } as AssistantMessageEvent);
    stream.end();
    expect(await result).toBe(message);
    expect(await read).toEqual(["start", "done"]);
  });

  test("has no result after a failure", async () => {
    const stream = new MessageEventStream();
    stream.end();
    await expect(stream.result()).rejects.toThrow("without a result");
    for await (const _event of stream) throw new Error("nothing was pushed");
    const ended = new MessageEventStream();
    ended.end(message);
    expect(await ended.result()).toBe(message);
  });
});

describe("helpers", () => {
  test("converts conversations to what a model receives, and to text", () => {
    const messages = [
      { role: "user", content: "question", timestamp: 1 },
      { role: "custom", customType: "c", content: "note", display: true, timestamp: 2 },
      {
        role: "bashExecution",
        command: "ls",
        output: "a",
        cancelled: false,
        truncated: false,
        excludeFromContext: true,
        timestamp: 3,
      },
    ];
    const converted = pi.convertToLlm!(messages as never) as { role: string }[];
    expect(converted).toHaveLength(2);
    const text = pi.serializeConversation!(converted as never) as string;
    expect(text).toContain("question");
    expect(text).toContain("note");
    expect(pi.estimateTokens!(messages[0] as never)).toBeGreaterThan(0);
    expect(pi.estimateTokens!(messages[2] as never)).toBe(0);
    expect(
      pi.calculateContextTokens!({ totalTokens: 0, input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } as never),
    ).toBe(10);
  });

  test("exports front matter, guards and names", () => {
    const text = "---\nname: a\n---\n\nbody\n";
    expect(pi.parseFrontmatter!(text as never)).toEqual({ frontmatter: { name: "a" }, body: "body" });
    expect(pi.stripFrontmatter!(text as never)).toBe("body");
    expect(pi.isToolCallEventType!("bash" as never, { toolName: "bash" } as never)).toBe(true);
    expect(pi.isBashToolResult!({ toolName: "read" } as never)).toBe(false);
    expect(pi.isReadToolResult!({ toolName: "read" } as never)).toBe(true);
    expect(pi.formatReadLineRange!({ offset: 3, limit: 2 } as never)).toBe(":3-4");
    expect(pi.getAgentDir!()).toBeString();
  });
});
