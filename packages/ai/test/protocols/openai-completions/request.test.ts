import { describe, expect, test } from "bun:test";
import type { Compat, Model } from "../../../src/model.ts";
import { openaiCompletions } from "../../../src/protocols/openai-completions/openai-completions.ts";
import type { ModelContext, RequestOptions } from "../../../src/protocols/protocol.ts";
import { streamModel } from "../../../src/stream.ts";
import { sendEvents, startLoopbackServer } from "../../support/loopback-server.ts";
import { assistantMessage } from "../../support/protocols/anthropic-messages/samples.ts";
import { answer, gpt, text } from "../../support/protocols/openai-completions/samples.ts";

const hello: ModelContext = { messages: [{ role: "user", content: "Hello", timestamp: 1 }] };
const read = { name: "read", description: "Reads a file", parameters: { type: "object", properties: {} } };
const bash = { name: "bash", description: "Runs a command", parameters: { type: "object", properties: {} } };
/** An unknown server. */
const plain: Model = { ...gpt, provider: "somewhere", baseUrl: "https://llm.example.com/v1" };

function request(model: Model, context: ModelContext = hello, options: RequestOptions = {}) {
  return openaiCompletions.request(model, context, options);
}
function body(model: Model, context: ModelContext = hello, options: RequestOptions = {}): Record<string, unknown> {
  return request(model, context, options).body as Record<string, unknown>;
}
function withCompat(compat: Compat, model: Model = plain): Model {
  return { ...model, compat };
}

test("OpenAI gets its own fields", () => {
  const context = { systemPrompt: "Be brief.", ...hello, tools: [bash, read] };
  const options = {
    toolChoice: "auto",
    thinkingLevel: "high",
    sessionId: "session-1",
    cacheRetention: "long",
  } as const;
  expect(body(gpt, context, options)).toEqual({
    model: "gpt-test",
    messages: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
    stream: true,
    stream_options: { include_usage: true },
    store: false,
    max_completion_tokens: 16_000,
    tools: [
      { type: "function", function: { ...bash, strict: false } },
      { type: "function", function: { ...read, strict: false } },
    ],
    tool_choice: "auto",
    reasoning_effort: "high",
    prompt_cache_key: "session-1",
    prompt_cache_retention: "24h",
  });
});

test("an unknown server gets only what every server understands", () => {
  const context = { systemPrompt: "Be brief.", ...hello, tools: [read] };
  const options = { thinkingLevel: "low", sessionId: "session-1", cacheRetention: "long" } as const;
  expect(body(plain, context, options)).toEqual({
    model: "gpt-test",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 16_000,
    tools: [{ type: "function", function: read }],
    reasoning_effort: "low",
  });
});

test("the smallest request", () => {
  expect(body({ ...plain, reasoning: false }, hello, { thinkingLevel: "high", toolChoice: "required" })).toEqual({
    model: "gpt-test",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 16_000,
  });
});

test("a request arrives as built, with its headers", async () => {
  await using server = await startLoopbackServer(sendEvents(answer("stop", text("x"))));
  const model = { ...plain, baseUrl: `${server.url}/api/v1/`, headers: { "X-Tenant": "model", "X-Title": "pintle" } };
  const options = { apiKey: "sk-1234567", headers: { "x-tenant": "options" } };
  await streamModel(model, hello, options).result();
  expect(server.requests).toMatchObject([
    {
      path: "/api/v1/chat/completions",
      headers: {
        authorization: "Bearer sk-1234567",
        "content-type": "application/json",
        accept: "text/event-stream",
        "x-tenant": "options",
        "x-title": "pintle",
      },
    },
  ]);
  expect(server.requests[0]?.body).toEqual(body(model));
});

describe("headers and address", () => {
  test("a user's header replaces ours, whatever its case", () => {
    const options = { apiKey: "sk-1234567", headers: { AUTHORIZATION: "Basic abc" } };
    expect(request(gpt, hello, options).headers).toEqual({ authorization: "Basic abc" });
  });

  test("without a key there is no authorization", () => {
    expect(request(gpt).headers).toEqual({});
  });

  test.each(["https://a.test/v1", "https://a.test/v1/", "https://a.test/v1///"])("base URL %s", (baseUrl) => {
    expect(request({ ...gpt, baseUrl }).url).toBe("https://a.test/v1/chat/completions");
  });
});

describe("limits", () => {
  test.each([
    ["asked for", { maxTokens: 500 }, 16_000, 500],
    ["more than the model has", { maxTokens: 99_000 }, 16_000, 16_000],
    ["not asked for", {}, 16_000, 16_000],
    ["not asked for, of a model with room", {}, 128_000, 32_000],
  ])("%s", (_name, options, maxTokens, expected) => {
    expect(body({ ...plain, maxTokens }, hello, options)).toMatchObject({ max_tokens: expected });
  });
});

describe("tool choice", () => {
  const context = { ...hello, tools: [read] };
  test.each([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ name: "read" }, { type: "function", function: { name: "read" } }],
    [undefined, undefined],
  ] as const)("%j", (toolChoice, expected) => {
    expect(body(plain, context, { ...(toolChoice && { toolChoice }) }).tool_choice).toEqual(expected);
  });

  test("is not sent if it is not supported, nor without tools", () => {
    const options = { toolChoice: { name: "read" } };
    expect(body(withCompat({ supportsToolChoice: false }), context, options)).not.toHaveProperty("tool_choice");
    expect(body(plain, hello, options)).not.toHaveProperty("tool_choice");
  });
});

describe("compat", () => {
  const tools = { systemPrompt: "Be brief.", ...hello, tools: [read] };
  test.each<[Compat, object]>([
    [{ supportsDeveloperRole: true }, { messages: [{ role: "developer" }, { role: "user" }] }],
    [{ supportsStore: true }, { store: false }],
    [{ supportsStrictMode: true }, { tools: [{ function: { strict: false } }] }],
    [{ maxTokensField: "max_completion_tokens" }, { max_completion_tokens: 16_000 }],
    [{ supportsLongCacheRetention: true }, { prompt_cache_retention: "24h" }],
    [{ openRouterRouting: { only: ["azure"] } }, { provider: { only: ["azure"] } }],
    [{ vercelGatewayRouting: { order: ["azure"] } }, { providerOptions: { gateway: { order: ["azure"] } } }],
    [{ extraBody: { top_k: 20, max_tokens: 7 } }, { top_k: 20, max_tokens: 7 }],
  ])("%j", (compat, expected) => {
    expect(body(withCompat(compat), tools, { cacheRetention: "long" })).toMatchObject(expected);
    expect(body(plain, tools, { cacheRetention: "long" })).not.toMatchObject(expected);
  });

  test.each<[Compat, string]>([
    [{ supportsUsageInStreaming: false }, "stream_options"],
    [{ supportsStore: false }, "store"],
    [{ supportsReasoningEffort: false }, "reasoning_effort"],
    [{ supportsLongCacheRetention: false }, "prompt_cache_retention"],
    [{ maxTokensField: "max_tokens" }, "max_completion_tokens"],
  ])("%j", (compat, field) => {
    const options = { thinkingLevel: "low", cacheRetention: "long" } as const;
    expect(body(gpt, tools, options)).toHaveProperty(field);
    expect(body(withCompat(compat, gpt), tools, options)).not.toHaveProperty(field);
  });

  test("undefined means the default", () => {
    expect(body({ ...gpt, compat: { supportsStore: undefined } as unknown as Compat })).toEqual(body(gpt));
  });
});

describe("thinking", () => {
  test.each<[NonNullable<Compat["thinkingFormat"]>, object, object]>([
    ["openai", { reasoning_effort: "medium" }, {}],
    ["openrouter", { reasoning: { effort: "medium" } }, { reasoning: { effort: "none" } }],
    ["together", { reasoning: { enabled: true } }, { reasoning: { enabled: false } }],
    ["zai", { enable_thinking: true }, { enable_thinking: false }],
    ["qwen", { enable_thinking: true }, { enable_thinking: false }],
    [
      "qwen-chat-template",
      { chat_template_kwargs: { enable_thinking: true } },
      { chat_template_kwargs: { enable_thinking: false } },
    ],
    ["deepseek", { thinking: { type: "enabled" }, reasoning_effort: "medium" }, { thinking: { type: "disabled" } }],
  ])("as %s", (thinkingFormat, on, off) => {
    const model = withCompat({ thinkingFormat });
    const without = body({ ...model, reasoning: false });
    expect(body(model, hello, { thinkingLevel: "medium" })).toEqual({ ...without, ...on });
    expect(body(model, hello, { thinkingLevel: "off" })).toEqual({ ...without, ...off });
    expect(body(model, hello)).toEqual({ ...without, ...off });
  });

  test.each([
    ["minimal", { minimal: "low" }, "low"],
    ["minimal", { minimal: null }, "low"],
    ["xhigh", {}, "high"],
    ["xhigh", { xhigh: "max" }, "max"],
    ["off", { off: "none" }, "none"],
    ["off", {}, undefined],
  ] as const)("%s with the names %j", (thinkingLevel, thinkingLevelMap, expected) => {
    expect(body({ ...plain, thinkingLevelMap }, hello, { thinkingLevel }).reasoning_effort).toEqual(expected);
  });
});

describe("known servers", () => {
  const tools = { systemPrompt: "Be brief.", ...hello, tools: [read] };
  const options = { thinkingLevel: "high", sessionId: "session-1" } as const;
  const common = {
    model: "gpt-test",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 16_000,
    tools: [{ type: "function", function: read }],
  };
  const { stream_options: _, ...withoutUsage } = common;

  test.each([
    ["https://openrouter.ai/api/v1", { ...common, reasoning: { effort: "high" } }],
    ["https://ai-gateway.vercel.sh/v1", { ...common, reasoning: { effort: "high" } }],
    ["https://api.deepseek.com", { ...common, thinking: { type: "enabled" }, reasoning_effort: "high" }],
    ["https://api.groq.com/openai/v1", { ...common, reasoning_effort: "high" }],
    ["https://api.cerebras.ai/v1", { ...common, reasoning_effort: "high" }],
    ["https://api.x.ai/v1", common],
    ["https://api.mistral.ai/v1", { ...withoutUsage, reasoning_effort: "high" }],
    ["https://api.together.xyz/v1", { ...common, reasoning: { enabled: true } }],
    ["https://api.z.ai/api/paas/v4", { ...common, enable_thinking: true }],
    ["https://api.moonshot.ai/v1", common],
    ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", { ...common, enable_thinking: true }],
    ["http://localhost:11434/v1", { ...common, reasoning_effort: "high" }],
    ["https://api.openai.com.evil.test/v1", { ...common, reasoning_effort: "high" }],
    ["https://notopenrouter.ai/v1", { ...common, reasoning_effort: "high" }],
    ["https://evil.test/openrouter.ai/v1", { ...common, reasoning_effort: "high" }],
    ["not a URL", { ...common, reasoning_effort: "high" }],
  ])("%s", (baseUrl, expected) => {
    expect(body({ ...plain, baseUrl }, tools, options)).toEqual(expected);
  });

  test("are recognized by name behind a proxy", () => {
    const proxied = { ...plain, provider: "deepseek", baseUrl: "http://localhost:4000/v1" };
    expect(body(proxied, tools, options)).toMatchObject({ thinking: { type: "enabled" } });
    expect(body({ ...plain, provider: "llama.cpp" }, tools, options)).toMatchObject({
      chat_template_kwargs: { enable_thinking: true },
    });
  });

  test("OpenAI behind a proxy gets no cache key", () => {
    const proxied = { ...gpt, baseUrl: "https://proxy.test/v1" };
    const sent = body(proxied, tools, { ...options, cacheRetention: "long" });
    expect(sent).toHaveProperty("max_completion_tokens");
    expect(sent).not.toHaveProperty("prompt_cache_key");
    expect(sent).not.toHaveProperty("prompt_cache_retention");
    const able = { ...proxied, compat: { supportsPromptCacheKey: true } };
    expect(body(able, tools, options)).toMatchObject({ prompt_cache_key: "session-1" });
  });

  test("the address wins over the name", () => {
    expect(body({ ...gpt, baseUrl: "https://openrouter.ai/api/v1" }, tools, options)).toEqual({
      ...common,
      reasoning: { effort: "high" },
    });
  });

  test("a subdomain is the same server", () => {
    expect(body({ ...gpt, provider: "x", baseUrl: "https://eu.api.openai.com/v1" }, hello, options)).toMatchObject({
      prompt_cache_key: "session-1",
    });
  });

  test("Grok gets an effort if the model names one", () => {
    const grok = { ...plain, baseUrl: "https://api.x.ai/v1", thinkingLevelMap: { minimal: null } };
    expect(body(grok, hello, options)).toMatchObject({ reasoning_effort: "high" });
  });
});

describe("caching", () => {
  const claude = { ...plain, id: "anthropic/claude", baseUrl: "https://openrouter.ai/api/v1", reasoning: false };
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  const context: ModelContext = {
    systemPrompt: "Be brief.",
    messages: [
      { role: "user", content: "Hello", timestamp: 1 },
      { role: "user", content: [{ type: "text", text: "Look" }, image], timestamp: 2 },
      { role: "user", content: [image], timestamp: 3 },
    ],
    tools: [bash, read],
  };

  test.each([
    ["short", { type: "ephemeral" }],
    ["long", { type: "ephemeral", ttl: "1h" }],
  ] as const)("marks of Anthropic, %s", (cacheRetention, mark) => {
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
    expect(body(claude, context, { cacheRetention, sessionId: "s" })).toEqual({
      model: "anthropic/claude",
      messages: [
        { role: "system", content: [{ type: "text", text: "Be brief.", cache_control: mark }] },
        { role: "user", content: "Hello" },
        { role: "user", content: [{ type: "text", text: "Look", cache_control: mark }, picture] },
        { role: "user", content: [picture] },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 16_000,
      tools: [
        { type: "function", function: bash },
        { type: "function", function: read, cache_control: mark },
      ],
    });
  });

  test("a mark on a tool result", () => {
    const messages: ModelContext["messages"] = [
      { role: "toolResult", toolCallId: "a", toolName: "read", content: [], isError: false, timestamp: 1 },
    ];
    const marked = { type: "text", text: "(no output)", cache_control: { type: "ephemeral" } };
    expect(body(claude, { messages }).messages).toEqual([{ role: "tool", tool_call_id: "a", content: [marked] }]);
  });

  test("a mark at the end of the previous request", () => {
    const answered = assistantMessage([{ type: "toolCall", id: "a", name: "read", arguments: {} }], claude);
    const messages: ModelContext["messages"] = [
      { role: "user", content: "first", timestamp: 1 },
      { role: "user", content: "second", timestamp: 1 },
      answered,
      { role: "toolResult", toolCallId: "a", toolName: "read", content: [], isError: false, timestamp: 1 },
    ];
    const marked = (sent: unknown) => JSON.stringify(sent).includes("cache_control");
    expect((body(claude, { messages }).messages as object[]).map(marked)).toEqual([false, true, false, true]);
  });

  test("none: no marks, no key", () => {
    expect(JSON.stringify(body(claude, context, { cacheRetention: "none" }))).not.toContain("cache_control");
    const openAi = body(gpt, context, { cacheRetention: "none", sessionId: "session-1" });
    expect(openAi).not.toHaveProperty("prompt_cache_key");
  });

  test("a key is cut to OpenAI's limit", () => {
    expect(body(gpt, hello, { sessionId: "x".repeat(100) }).prompt_cache_key).toBe("x".repeat(64));
  });
});
