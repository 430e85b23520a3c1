import { describe, expect, test } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";
import type { ImageContent, ProviderMessage } from "../../../src/messages.ts";
import type { Compat, Model } from "../../../src/model.ts";
import { anthropicMessages } from "../../../src/protocols/anthropic-messages/anthropic-messages.ts";
import type { ModelContext, RequestOptions, ToolDefinition } from "../../../src/protocols/protocol.ts";
import type { ThinkingLevel } from "../../../src/thinking.ts";
import { assistantMessage, claude } from "../../support/protocols/anthropic-messages/samples.ts";

const png: ImageContent = { type: "image", data: "iVBORw0=", mimeType: "image/png" };
const pngBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } } as const;
const mark = { cache_control: { type: "ephemeral" } } as const;

const readTool: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const bashTool: ToolDefinition = { name: "bash", description: "Runs a command.", parameters: {} };

function user(content: Extract<ProviderMessage, { role: "user" }>["content"]): ProviderMessage {
  return { role: "user", content, timestamp: 1 };
}

function result(
  toolCallId: string,
  text: string,
  more: Partial<Extract<ProviderMessage, { role: "toolResult" }>> = {},
) {
  const content = [{ type: "text" as const, text }];
  return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 1, ...more } as const;
}

function bodyOf(context: ModelContext, options: RequestOptions = {}, model: Model = claude) {
  return anthropicMessages.request(model, context, options).body as Anthropic.MessageCreateParamsStreaming;
}

/** Without cache marks, which have their own tests. */
function messagesOf(messages: ProviderMessage[], model: Model = claude) {
  return bodyOf({ messages }, { cacheRetention: "none" }, model).messages;
}

describe("conversation", () => {
  test("a conversation with every kind of block becomes the vendor's body", () => {
    const body = bodyOf(
      {
        systemPrompt: "You are pintle.",
        tools: [bashTool, readTool],
        messages: [
          user([{ type: "text", text: "What is in the picture?" }, png]),
          assistantMessage([
            { type: "thinking", thinking: "Let me look.", thinkingSignature: "sig==" },
            { type: "redactedThinking", data: "opaque==" },
            { type: "text", text: "I read two files." },
            { type: "toolCall", id: "toolu_1", name: "read", arguments: { path: "a.txt" } },
            { type: "toolCall", id: "toolu_2", name: "bash", arguments: {} },
          ]),
          result("toolu_1", "content", { content: [{ type: "text", text: "content" }, png] }),
          result("toolu_2", "exit code 1", { toolName: "bash", isError: true }),
          { role: "developer", content: "State may be partial.", timestamp: 1 },
          user("Go on."),
        ],
      },
      { thinkingLevel: "medium" },
    );
    expect(body).toEqual({
      model: "claude-test",
      stream: true,
      max_tokens: 64_000,
      thinking: { type: "enabled", budget_tokens: 8192 },
      system: [{ type: "text", text: "You are pintle.", ...mark }],
      tools: [
        { name: "bash", description: "Runs a command.", input_schema: { type: "object", properties: {} } },
        {
          name: "read",
          description: "Reads a file.",
          input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
          ...mark,
        },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is in the picture?" },
            { ...pngBlock, ...mark },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Let me look.", signature: "sig==" },
            { type: "redacted_thinking", data: "opaque==" },
            { type: "text", text: "I read two files." },
            { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.txt" } },
            { type: "tool_use", id: "toolu_2", name: "bash", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "content" }, pngBlock] },
            {
              type: "tool_result",
              tool_use_id: "toolu_2",
              is_error: true,
              content: [{ type: "text", text: "exit code 1" }],
            },
            { type: "text", text: "State may be partial." },
            { type: "text", text: "Go on.", ...mark },
          ],
        },
      ],
    });
  });

  test("a minimal request contains no optional fields", () => {
    expect(bodyOf({ messages: [user("hi")] }, { cacheRetention: "none" })).toEqual({
      model: "claude-test",
      stream: true,
      max_tokens: 64_000,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    });
  });

  test("results precede what the user said while the tools ran", () => {
    const messages = [
      user("read"),
      assistantMessage([{ type: "toolCall", id: "toolu_1", name: "read", arguments: { path: "a" } }]),
      user("and hurry"),
      result("toolu_1", "A"),
    ];
    expect(messagesOf(messages).at(-1)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "A" }] },
        { type: "text", text: "and hurry" },
      ],
    });
  });

  test("blank text and empty messages are left out, and their neighbours merged", () => {
    const messages = [
      user("one"),
      assistantMessage([{ type: "text", text: " \n" }]),
      user([{ type: "text", text: "" }]),
      user("two"),
      assistantMessage([{ type: "text", text: "three" }]),
      assistantMessage([{ type: "text", text: "four" }]),
    ];
    expect(messagesOf(messages)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "three" },
          { type: "text", text: "four" },
        ],
      },
    ]);
  });

  test("a conversation that begins with the assistant gets a first user message", () => {
    expect(messagesOf([assistantMessage([{ type: "text", text: "hello" }]), user("hi")])).toEqual([
      { role: "user", content: [{ type: "text", text: "(the conversation continues)" }] },
      { role: "assistant", content: [{ type: "text", text: "hello" }] },
      { role: "user", content: [{ type: "text", text: "hi" }] },
    ]);
  });

  test("a result without output says so", () => {
    const call = assistantMessage([{ type: "toolCall", id: "toolu_1", name: "read", arguments: {} }]);
    expect(messagesOf([user("x"), call, result("toolu_1", "")]).at(-1)?.content).toEqual([
      { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "(no output)" }] },
    ]);
  });

  test("images of a failed tool follow its result, which may contain only text", () => {
    const call = assistantMessage([{ type: "toolCall", id: "toolu_1", name: "read", arguments: {} }]);
    const failed = result("toolu_1", "", { isError: true, content: [{ type: "text", text: "broken" }, png] });
    expect(messagesOf([user("x"), call, failed]).at(-1)?.content).toEqual([
      { type: "tool_result", tool_use_id: "toolu_1", is_error: true, content: [{ type: "text", text: "broken" }] },
      pngBlock,
    ]);
  });

  test("a model without image input gets a note in its place, also in a result", () => {
    const textOnly: Model = { ...claude, input: ["text"] };
    const call = assistantMessage([{ type: "toolCall", id: "toolu_1", name: "read", arguments: {} }]);
    const left = { type: "text", text: "(an image was left out: this model takes only text)" };
    expect(messagesOf([user([png]), call, result("toolu_1", "", { content: [png] })], textOnly)).toEqual([
      { role: "user", content: [left] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [left] }] },
    ] as Anthropic.MessageParam[]);
  });

  test.each<[string, Anthropic.Base64ImageSource["media_type"] | undefined]>([
    ["image/jpg", "image/jpeg"],
    ["IMAGE/WEBP", "image/webp"],
    ["image/gif", "image/gif"],
    ["image/svg+xml", undefined],
  ])("an image of type %s is sent as %s", (mimeType, mediaType) => {
    expect(messagesOf([user([{ ...png, mimeType }])])[0]?.content).toEqual([
      mediaType
        ? { type: "image", source: { type: "base64", media_type: mediaType, data: png.data } }
        : { type: "text", text: `(an image was left out: ${mimeType} is not supported)` },
    ]);
  });
});

describe("reasoning of earlier turns", () => {
  const content = [
    { type: "thinking" as const, thinking: "hm", thinkingSignature: "sig" },
    { type: "thinking" as const, thinking: "", thinkingSignature: "hidden" },
    { type: "thinking" as const, thinking: "unsigned" },
    { type: "redactedThinking" as const, data: "opaque" },
    { type: "text" as const, text: "answer" },
  ];

  test("goes back to the model that wrote it, an empty signed block included", () => {
    expect(messagesOf([user("q"), assistantMessage(content)])[1]?.content).toEqual([
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "thinking", thinking: "", signature: "hidden" },
      { type: "text", text: "unsigned" },
      { type: "redacted_thinking", data: "opaque" },
      { type: "text", text: "answer" },
    ]);
  });

  test.each([
    ["model", { ...claude, id: "claude-other" }],
    ["provider", { ...claude, provider: "proxy" }],
    ["api", { ...claude, api: "openai-completions" }],
  ])("of another %s becomes text, and hidden reasoning is dropped", (_what, other) => {
    expect(messagesOf([user("q"), assistantMessage(content, other)])[1]?.content).toEqual([
      { type: "text", text: "hm" },
      { type: "text", text: "unsigned" },
      { type: "text", text: "answer" },
    ]);
  });
});

test("ids of other providers map to distinct ids, the same for call and result", () => {
  const ids = ["call|with/pipes", "call_with/pipes", `long_${"x".repeat(100)}`, "toolu_fine"];
  const messages = messagesOf([
    user("go"),
    assistantMessage(ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} }))),
    ...ids.map((id) => result(id, "ok")),
  ]);
  const blocks = messages.flatMap((message) => message.content as Anthropic.ContentBlockParam[]);
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
  expect(results).toEqual(calls);
  expect(new Set(calls).size).toBe(ids.length);
  expect(calls.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
  expect(calls.at(-1)).toBe("toolu_fine");
});

describe("cache marks", () => {
  const context: ModelContext = {
    systemPrompt: "S",
    tools: [bashTool, readTool],
    messages: [
      user("first"),
      assistantMessage([{ type: "text", text: "a" }]),
      user([{ type: "text", text: "last" }, png]),
    ],
  };

  function marks(options: RequestOptions, compat?: Compat) {
    const body = bodyOf(context, options, { ...claude, ...(compat && { compat }) });
    const marked = (blocks: unknown) =>
      (blocks as { cache_control?: unknown }[]).flatMap(({ cache_control }, at) =>
        cache_control ? [[at, cache_control]] : [],
      );
    return {
      system: marked(body.system),
      tools: marked(body.tools),
      messages: body.messages.map((message) => marked(message.content)),
    };
  }

  const short = { type: "ephemeral" };
  const long = { type: "ephemeral", ttl: "1h" };
  const at = (control: object) => ({
    system: [[0, control]],
    tools: [[1, control]],
    messages: [[[0, control]], [], [[1, control]]],
  });

  test("are set by default on the system prompt, the last tool, and the last block of this request and of the previous one", () => {
    expect(marks({})).toEqual(at(short));
  });
  test("last an hour with long retention", () => {
    expect(marks({ cacheRetention: "long" })).toEqual(at(long));
  });
  test("stay short if the server has no long retention", () => {
    expect(marks({ cacheRetention: "long" }, { supportsLongCacheRetention: false })).toEqual(at(short));
  });
  test("are omitted on tools if the server refuses them there", () => {
    expect(marks({}, { supportsCacheControlOnTools: false })).toEqual({ ...at(short), tools: [] });
  });
  test("are absent without caching", () => {
    expect(marks({ cacheRetention: "none" })).toEqual({ system: [], tools: [], messages: [[], [], []] });
  });
});

describe("thinking", () => {
  function plan(options: RequestOptions, model: Partial<Model> = {}) {
    const context = { messages: [user("q")], tools: [readTool] };
    const { max_tokens, thinking, output_config } = bodyOf(context, options, { ...claude, ...model });
    return { max_tokens, ...(thinking && { thinking }), ...(output_config && { output_config }) };
  }

  test.each<[ThinkingLevel, number]>([
    ["minimal", 1024],
    ["low", 2048],
    ["medium", 8192],
    ["high", 16_384],
  ])("%s gets a budget of %d tokens on top of the output", (thinkingLevel, budget) => {
    expect(plan({ thinkingLevel, maxTokens: 4000 })).toEqual({
      max_tokens: 4000 + budget,
      thinking: { type: "enabled", budget_tokens: budget },
    });
  });

  test("xhigh exists only if the model names it", () => {
    expect(plan({ thinkingLevel: "xhigh" }).thinking).toEqual({ type: "enabled", budget_tokens: 16_384 });
    const thinkingLevelMap = { xhigh: "max" };
    expect(plan({ thinkingLevel: "xhigh" }, { thinkingLevelMap }).thinking).toEqual({
      type: "enabled",
      budget_tokens: 32_768,
    });
  });

  test("the user's budgets replace the table, a number in the model's map replaces both", () => {
    const thinkingBudgets = { high: 20_000 };
    expect(plan({ thinkingLevel: "high", thinkingBudgets }).thinking).toEqual({
      type: "enabled",
      budget_tokens: 20_000,
    });
    const thinkingLevelMap = { high: "30000" };
    expect(plan({ thinkingLevel: "high", thinkingBudgets }, { thinkingLevelMap }).thinking).toEqual({
      type: "enabled",
      budget_tokens: 30_000,
    });
  });

  test("the sum never exceeds the model's output limit, and 1024 tokens remain for the answer", () => {
    expect(plan({ thinkingLevel: "high" }, { maxTokens: 8000 })).toEqual({
      max_tokens: 8000,
      thinking: { type: "enabled", budget_tokens: 6976 },
    });
  });

  test("a model too small for the smallest budget does not think", () => {
    expect(plan({ thinkingLevel: "high" }, { maxTokens: 2000 })).toEqual({ max_tokens: 2000 });
  });

  test("a budget below the vendor's minimum is raised to it", () => {
    expect(plan({ thinkingLevel: "low", thinkingBudgets: { low: 10 } }).thinking).toEqual({
      type: "enabled",
      budget_tokens: 1024,
    });
  });

  test("is never requested from a model that cannot reason", () => {
    expect(plan({ thinkingLevel: "high" }, { reasoning: false })).toEqual({ max_tokens: 64_000 });
  });

  test("the requested output stays within the model's limits", () => {
    expect(plan({ maxTokens: 1_000_000 })).toEqual({ max_tokens: 64_000 });
    expect(plan({ maxTokens: 0 })).toEqual({ max_tokens: 1 });
  });

  describe("of adaptive models", () => {
    const adaptive = { compat: { adaptiveThinking: true } };
    const thinking = { type: "adaptive", display: "summarized" } as const;

    test.each<[ThinkingLevel, string]>([
      ["minimal", "low"],
      ["low", "low"],
      ["medium", "medium"],
      ["high", "high"],
    ])("%s becomes effort %s", (thinkingLevel, effort) => {
      expect(plan({ thinkingLevel }, adaptive)).toEqual({
        max_tokens: 64_000,
        thinking,
        output_config: { effort },
      } as never);
    });

    test("takes its effort from the model's map", () => {
      const thinkingLevelMap = { xhigh: "max" };
      expect(plan({ thinkingLevel: "xhigh" }, { ...adaptive, thinkingLevelMap })).toEqual({
        max_tokens: 64_000,
        thinking,
        output_config: { effort: "max" },
      });
    });

    test("reserves tokens for thoughts next to a short answer", () => {
      expect(plan({ thinkingLevel: "medium", maxTokens: 500 }, adaptive).max_tokens).toBe(8692);
    });

    test("is turned off by omission, or by the value that the model's map has for off", () => {
      expect(plan({ thinkingLevel: "off" }, adaptive)).toEqual({ max_tokens: 64_000 });
      const off = (word: string) => plan({}, { ...adaptive, thinkingLevelMap: { off: word } });
      expect(off("disabled")).toEqual({ max_tokens: 64_000, thinking: { type: "disabled" } });
      expect(off("between_tools")).toEqual({ max_tokens: 64_000, thinking: { type: "between_tools" } });
      expect(off("low")).toEqual({ max_tokens: 64_000, thinking, output_config: { effort: "low" } });
    });
  });
});

describe("tool choice", () => {
  function choice(
    options: RequestOptions,
    { tools = [readTool], compat }: { tools?: ToolDefinition[]; compat?: Compat } = {},
  ) {
    const model = { ...claude, ...(compat && { compat }) };
    const { tool_choice, thinking } = bodyOf(
      { messages: [user("q")], tools },
      { thinkingLevel: "low", ...options },
      model,
    );
    return [tool_choice, thinking?.type];
  }

  test("is left to the model by default", () => {
    expect(choice({})).toEqual([undefined, "enabled"]);
    expect(choice({ toolChoice: "auto" })).toEqual([undefined, "enabled"]);
  });
  test("none forbids tools and leaves thinking on", () => {
    expect(choice({ toolChoice: "none" })).toEqual([{ type: "none" }, "enabled"]);
  });
  test("a forced choice turns thinking off for this request", () => {
    expect(choice({ toolChoice: "required" })).toEqual([{ type: "any" }, undefined]);
    expect(choice({ toolChoice: { name: "read" } })).toEqual([{ type: "tool", name: "read" }, undefined]);
  });
  test("a tool that is not offered cannot be forced", () => {
    expect(choice({ toolChoice: { name: "resolve" } })).toEqual([undefined, "enabled"]);
    expect(choice({ toolChoice: "required" }, { tools: [] })).toEqual([undefined, "enabled"]);
  });
  test("is not sent to a server that does not support it", () => {
    expect(choice({ toolChoice: "required" }, { compat: { supportsToolChoice: false } })).toEqual([
      undefined,
      "enabled",
    ]);
  });
});

describe("tools", () => {
  const toolsOf = (tools: ToolDefinition[], compat: Compat = {}) =>
    bodyOf({ messages: [user("q")], tools }, { cacheRetention: "none" }, { ...claude, compat }).tools;

  test("stream their input eagerly if the server can", () => {
    expect(toolsOf([readTool], { supportsEagerToolInputStreaming: true })).toEqual([
      {
        name: "read",
        description: "Reads a file.",
        input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        eager_input_streaming: true,
      },
    ]);
  });

  test("a union at the top of a schema becomes one object with all properties", () => {
    const parameters = {
      description: "either",
      allOf: [{ properties: { id: { type: "number" } }, required: ["id"] }],
      anyOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "string" } } }],
    };
    expect(toolsOf([{ name: "t", description: "d", parameters }])).toEqual([
      {
        name: "t",
        description: "d",
        input_schema: {
          type: "object",
          description: "either",
          properties: { id: { type: "number" }, a: { type: "string" }, b: { type: "string" } },
          required: ["id"],
        },
      },
    ]);
  });
});

describe("address and headers", () => {
  const request = (model: Partial<Model>, options: RequestOptions = {}) =>
    anthropicMessages.request({ ...claude, ...model }, { messages: [user("q")] }, options);

  test.each([
    "https://proxy.test/anthropic",
    "https://proxy.test/anthropic/",
    "https://proxy.test/anthropic/v1",
    "https://proxy.test/anthropic/v1//",
  ])("%s leads to the messages endpoint", (baseUrl) => {
    expect(request({ baseUrl }).url).toBe("https://proxy.test/anthropic/v1/messages");
  });

  test("an API key goes into x-api-key", () => {
    expect(request({}, { apiKey: "sk-ant-api03-secret" }).headers).toEqual({
      "anthropic-version": "2023-06-01",
      "x-api-key": "sk-ant-api03-secret",
    });
  });

  test("an OAuth token is a bearer token and needs its beta header", () => {
    expect(request({}, { apiKey: "sk-ant-oat01-secret" }).headers).toEqual({
      "anthropic-version": "2023-06-01",
      authorization: "Bearer sk-ant-oat01-secret",
      "anthropic-beta": "oauth-2025-04-20",
    });
  });

  test("without a key there is no credential", () => {
    expect(request({}).headers).toEqual({ "anthropic-version": "2023-06-01" });
  });

  test("headers of the model and then of the options win, whatever their case", () => {
    const headers = request(
      { headers: { "X-Api-Key": "model", "x-team": "model" } },
      { apiKey: "sk-ant-api03-key", headers: { "X-Team": "options", "Anthropic-Version": "2099-01-01" } },
    ).headers;
    expect(headers).toEqual({ "anthropic-version": "2099-01-01", "x-api-key": "model", "x-team": "options" });
  });

  test("beta features of the user are added to the one that OAuth needs", () => {
    const options = { apiKey: "sk-ant-oat01-x", headers: { "anthropic-beta": "context-1m-2025-08-07" } };
    expect(request({}, options).headers["anthropic-beta"]).toBe("oauth-2025-04-20,context-1m-2025-08-07");
  });
});
