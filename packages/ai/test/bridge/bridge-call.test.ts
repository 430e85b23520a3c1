import { describe, expect, test } from "bun:test";
import type { AssistantMessage, ProviderMessage } from "../../src/messages.ts";
import type { Model } from "../../src/model.ts";
import type { ModelContext } from "../../src/protocols/protocol.ts";
import { type StreamOptions, streamModel } from "../../src/stream.ts";
import { zeroUsage } from "../../src/usage.ts";
import { cloudModel, fakePackage, finish, type Version } from "../support/bridge/fake-package.ts";

interface Case extends StreamOptions {
  version?: Version;
  provider?: string;
  model?: Partial<Model>;
  context?: Partial<ModelContext>;
}

/** What the package receives for a request. */
async function call({ version = "v3", provider = "cloud.chat", model, context, ...options }: Case = {}) {
  const { providerPackage, calls, made } = fakePackage({ version, provider, parts: [finish(version, "stop")] });
  const whole = { messages: [], ...context };
  await streamModel({ ...cloudModel, ...model }, whole, { providerPackage, ...options }).result();
  const { abortSignal, ...rest } = calls[0] as Record<string, unknown>;
  expect(abortSignal).toBeInstanceOf(AbortSignal);
  return { ...rest, made: made[0] } as Record<string, unknown>;
}

const user = (content: Extract<ProviderMessage, { role: "user" }>["content"]): ProviderMessage => ({
  role: "user",
  content,
  timestamp: 0,
});
const assistant = (content: AssistantMessage["content"], model = "m-1"): AssistantMessage => ({
  role: "assistant",
  content,
  api: "ai-sdk",
  provider: "cloud",
  model,
  usage: zeroUsage(),
  stopReason: "stop",
  timestamp: 0,
});
const result = (toolCallId: string, toolName: string, content: object[], isError = false) =>
  ({ role: "toolResult", toolCallId, toolName, content, isError, timestamp: 0 }) as ProviderMessage;
const image = { type: "image" as const, data: "aW1n", mimeType: "image/png" };
const tool = (name: string) => ({ name, description: `does ${name}`, parameters: { type: "object", properties: {} } });

const conversation: ProviderMessage[] = [
  user([{ type: "text", text: "look" }, image]),
  assistant([
    { type: "thinking", thinking: "hm", thinkingSignature: '{"anthropic":{"signature":"s"}}' },
    { type: "text", text: "I will", textSignature: '{"openai":{"itemId":"i"}}' },
    { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" }, thoughtSignature: '{"google":{"t":"1"}}' },
    { type: "toolCall", id: "c2", name: "ls", arguments: {} },
  ]),
  result("c1", "read", [{ type: "text", text: "content" }, image]),
  result("c2", "ls", [], true),
  { role: "developer", content: "stay calm", timestamp: 0 },
];

describe("the conversation", () => {
  const file = (data: unknown) => ({ type: "file", mediaType: "image/png", data });
  const expected = (data: unknown) => [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "look" }, file(data)] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
        { type: "text", text: "I will", providerOptions: { openai: { itemId: "i" } } },
        {
          type: "tool-call",
          toolCallId: "c1",
          toolName: "read",
          input: { path: "a" },
          providerOptions: { google: { t: "1" } },
        },
        { type: "tool-call", toolCallId: "c2", toolName: "ls", input: {} },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: "content" } },
        { type: "tool-result", toolCallId: "c2", toolName: "ls", output: { type: "error-text", value: "(no output)" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "Image from the result of read:" },
        file(data),
        { type: "text", text: "stay calm" },
      ],
    },
  ];

  test.each([
    ["v2", "aW1n"],
    ["v3", "aW1n"],
    ["v4", { type: "data", data: "aW1n" }],
  ] as [Version, unknown][])("in %s", async (version, data) => {
    const context = { systemPrompt: "Be brief.", messages: conversation };
    expect((await call({ version, context })).prompt).toEqual(expected(data));
  });

  test("signatures go only to the model that wrote them; foreign thoughts are left out", async () => {
    const messages = conversation.map((message) =>
      message.role === "assistant" ? { ...message, model: "other" } : message,
    );
    const { prompt } = await call({ context: { messages } });
    expect((prompt as { content: unknown }[])[1]?.content).toEqual([
      { type: "text", text: "I will" },
      { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a" } },
      { type: "tool-call", toolCallId: "c2", toolName: "ls", input: {} },
    ]);
  });

  test("an invalid signature and blocks that become empty are left out", async () => {
    const messages = [
      assistant([{ type: "thinking", thinking: "hm", thinkingSignature: "EjQKMg==" }]),
      assistant([{ type: "text", text: "  " }]),
      assistant([{ type: "redactedThinking", data: "x" }]),
      user("go on"),
    ];
    expect((await call({ context: { messages } })).prompt).toEqual([
      { role: "user", content: [{ type: "text", text: "go on" }] },
    ]);
  });

  test("a model without image input gets a note instead", async () => {
    const { prompt } = await call({ model: { input: ["text"] }, context: { messages: [user([image])] } });
    expect(prompt).toEqual([
      { role: "user", content: [{ type: "text", text: "(an image was left out: this model takes only text)" }] },
    ]);
  });
});

describe("tools", () => {
  const context = { tools: [tool("read"), tool("write")] };
  test("as functions", async () => {
    const { tools, toolChoice } = await call({ context });
    expect(tools).toEqual([
      { type: "function", name: "read", description: "does read", inputSchema: { type: "object", properties: {} } },
      { type: "function", name: "write", description: "does write", inputSchema: { type: "object", properties: {} } },
    ]);
    expect(toolChoice).toBeUndefined();
  });

  test.each([
    ["required", { type: "required" }],
    ["none", { type: "none" }],
    [{ name: "read" }, { type: "tool", toolName: "read" }],
    [{ name: "gone" }, undefined],
  ] as [StreamOptions["toolChoice"], unknown][])("choice %j", async (toolChoice, expected) => {
    expect((await call({ context, ...(toolChoice && { toolChoice }) })).toolChoice).toEqual(expected);
  });
});

describe("thinking and its token budget", () => {
  test.each([
    ["v4 has a word for all", { version: "v4", thinkingLevel: "high" }, { maxOutputTokens: 40_000, reasoning: "high" }],
    ["and one for off", { version: "v4" }, { maxOutputTokens: 40_000, reasoning: "none" }],
    ["not for models that do not think", { version: "v4", model: { reasoning: false } }, { maxOutputTokens: 40_000 }],
    [
      "Claude's budget is added by its package",
      { version: "v4", provider: "anthropic.messages", thinkingLevel: "medium" },
      { maxOutputTokens: 40_000 - 8192, reasoning: "medium" },
    ],
    [
      "a small answer keeps its size",
      { provider: "anthropic.messages", thinkingLevel: "low", maxTokens: 500 },
      { maxOutputTokens: 500, providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2048 } } } },
    ],
    [
      "the budget leaves room for the answer",
      { provider: "amazon-bedrock", thinkingLevel: "high", model: { maxTokens: 8000 } },
      {
        maxOutputTokens: 1024,
        providerOptions: { bedrock: { reasoningConfig: { type: "enabled", budgetTokens: 6976 } } },
      },
    ],
    [
      "without room there are no thoughts",
      { provider: "amazon-bedrock", thinkingLevel: "high", model: { maxTokens: 2000 } },
      { maxOutputTokens: 2000 },
    ],
    [
      "the user's budget",
      { provider: "google.vertex.chat", thinkingLevel: "low", thinkingBudgets: { low: 3000 } },
      {
        maxOutputTokens: 40_000,
        providerOptions: { google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 3000 } } },
      },
    ],
    [
      "OpenAI's word",
      { version: "v2", provider: "azure.responses", thinkingLevel: "low" },
      { maxOutputTokens: 40_000, providerOptions: { openai: { reasoningEffort: "low", reasoningSummary: "auto" } } },
    ],
    [
      "the model's own word, for a vendor nobody knows",
      { thinkingLevel: "xhigh", model: { thinkingLevelMap: { xhigh: "max" } } },
      { maxOutputTokens: 40_000, providerOptions: { cloud: { reasoningEffort: "max" } } },
    ],
    ["off", { provider: "azure.responses" }, { maxOutputTokens: 40_000 }],
  ] as [string, Case, object][])("%s", async (_name, options, expected) => {
    const { maxOutputTokens, reasoning, providerOptions } = await call(options);
    expect({
      maxOutputTokens,
      ...(reasoning !== undefined && { reasoning }),
      ...(providerOptions !== undefined && { providerOptions }),
    }).toEqual(expected as never);
  });

  test("the user's own options for the vendor are added, and win", async () => {
    const extraBody = { cloud: { reasoningEffort: "custom", seed: 1 }, other: { a: 2 } };
    const { providerOptions } = await call({ thinkingLevel: "low", model: { compat: { extraBody } } });
    expect(providerOptions).toEqual(extraBody);
  });
});

describe("cache marks", () => {
  const context = {
    systemPrompt: "Be brief.",
    messages: [user("one"), assistant([{ type: "text", text: "two" }]), user("three")],
  };
  const marks = async (options: Case) =>
    ((await call({ context, ...options })).prompt as { providerOptions?: unknown }[]).map(
      (message) => message.providerOptions,
    );
  const mark = { anthropic: { cacheControl: { type: "ephemeral" } }, bedrock: { cachePoint: { type: "default" } } };
  const long = { ...mark, anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } };

  test.each([
    [
      "Claude: instructions and last input",
      { model: { id: "eu.anthropic.claude-opus-5-5" } },
      [mark, undefined, undefined, mark],
    ],
    ["for long", { model: { id: "claude-x" }, cacheRetention: "long" }, [long, undefined, undefined, long]],
    ["not at all", { model: { id: "claude-x" }, cacheRetention: "none" }, [undefined, undefined, undefined, undefined]],
    ["others have none", {}, [undefined, undefined, undefined, undefined]],
  ] as [string, Case, unknown[]][])("%s", async (_name, options, expected) => {
    expect(await marks(options)).toEqual(expected);
  });
});

test("key, address and fetch go to the factory, headers to the call; the user's options win", async () => {
  const fetch = async () => new Response();
  const { providerPackage, calls, made } = fakePackage({ parts: [finish("v3", "stop")] });
  const model = { ...cloudModel, baseUrl: "https://proxy.example.com/v1", headers: { "x-a": "model", "x-b": "b" } };
  await streamModel(
    model,
    { messages: [] },
    {
      providerPackage: { ...providerPackage, options: { region: "eu-1", baseURL: "https://mine.example.com" } },
      apiKey: "k",
      fetch,
      headers: { "x-a": "request" },
    },
  ).result();
  expect(made).toEqual([{ baseURL: "https://mine.example.com", apiKey: "k", fetch, region: "eu-1" }]);
  expect(calls[0]?.headers).toEqual({ "x-a": "request", "x-b": "b" });
});

test("unset options are not passed", async () => {
  const { made, headers, tools } = await call();
  expect({ made, headers, tools }).toEqual({ made: {}, headers: undefined, tools: undefined });
});
