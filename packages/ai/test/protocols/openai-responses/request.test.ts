import { describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import type { Compat, Model } from "../../../src/model.ts";
import { openaiResponses } from "../../../src/protocols/openai-responses/openai-responses.ts";
import type { ModelContext, RequestOptions, ToolDefinition } from "../../../src/protocols/protocol.ts";
import type { ThinkingLevel } from "../../../src/thinking.ts";
import { gpt6 } from "../../support/protocols/openai-responses/samples.ts";

const hi: ModelContext = { messages: [{ role: "user", content: "hi", timestamp: 1 }] };
const readTool: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const bashTool: ToolDefinition = { name: "bash", description: "Runs a command.", parameters: {} };
const withTools = { ...hi, tools: [bashTool, readTool] };
const silent: Model = { ...gpt6, reasoning: false };
const elsewhere: Model = { ...gpt6, provider: "mine", baseUrl: "https://llm.example.com/v1" };

function bodyOf(context: ModelContext, options: RequestOptions = {}, model: Model = gpt6) {
  return openaiResponses.request(model, context, options).body as OpenAI.Responses.ResponseCreateParamsStreaming;
}

test("a request with everything", () => {
  expect(
    bodyOf(
      { ...withTools, systemPrompt: "You are pintle." },
      {
        thinkingLevel: "high",
        toolChoice: { name: "read" },
        maxTokens: 9000,
        sessionId: "s-1",
        cacheRetention: "long",
      },
    ),
  ).toEqual({
    model: "gpt-6-test",
    stream: true,
    store: false,
    instructions: "You are pintle.",
    input: [{ role: "user", content: "hi" }],
    tools: [
      {
        type: "function",
        name: "bash",
        description: "Runs a command.",
        parameters: { type: "object", properties: {} },
        strict: false,
      },
      {
        type: "function",
        name: "read",
        description: "Reads a file.",
        parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        strict: false,
      },
    ],
    tool_choice: { type: "function", name: "read" },
    max_output_tokens: 9000,
    reasoning: { effort: "high", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "s-1",
    prompt_cache_retention: "24h",
  });
});

test("a minimal request contains no optional fields", () => {
  expect(bodyOf({ ...hi, systemPrompt: " " }, {}, silent)).toEqual({
    model: "gpt-6-test",
    stream: true,
    store: false,
    input: [{ role: "user", content: "hi" }],
  });
});

describe("address and headers", () => {
  test.each(["https://llm.example.com/v1", "https://llm.example.com/v1//"])("%s", (baseUrl) => {
    expect(openaiResponses.request({ ...gpt6, baseUrl }, hi, {}).url).toBe("https://llm.example.com/v1/responses");
  });

  test("the key, and the user's additional headers", () => {
    const headers = { "X-Tenant": "t", Authorization: "Bearer theirs" };
    expect(openaiResponses.request(gpt6, hi, { apiKey: "k" }).headers).toEqual({ authorization: "Bearer k" });
    expect(
      openaiResponses.request({ ...gpt6, headers }, hi, { apiKey: "k", headers: { "x-tenant": "u" } }).headers,
    ).toEqual({ authorization: "Bearer theirs", "x-tenant": "u" });
    expect(openaiResponses.request(gpt6, hi, {}).headers).toEqual({});
  });
});

describe("thinking", () => {
  const mapped: Model = { ...gpt6, thinkingLevelMap: { off: "none", minimal: null, xhigh: "max" } };
  test.each<[ThinkingLevel | undefined, Model, object | undefined]>([
    ["minimal", gpt6, { effort: "minimal", summary: "auto" }],
    ["medium", gpt6, { effort: "medium", summary: "auto" }],
    ["xhigh", gpt6, { effort: "high", summary: "auto" }],
    ["off", gpt6, undefined],
    [undefined, gpt6, undefined],
    ["off", mapped, { effort: "none" }],
    ["minimal", mapped, { effort: "low", summary: "auto" }],
    ["xhigh", mapped, { effort: "max", summary: "auto" }],
    ["low", { ...gpt6, compat: { supportsReasoningEffort: false } }, { summary: "auto" }],
  ])("%s", (thinkingLevel, model, reasoning) => {
    const body = bodyOf(hi, { ...(thinkingLevel && { thinkingLevel }) }, model);
    expect(body.reasoning).toEqual(reasoning as never);
    expect(body.include).toEqual(["reasoning.encrypted_content"]);
  });

  test("of a model that cannot", () => {
    const body = bodyOf(hi, { thinkingLevel: "high" }, silent);
    expect([body.reasoning, body.include]).toEqual([undefined, undefined]);
  });
});

describe("tool choice", () => {
  const choose = (toolChoice: RequestOptions["toolChoice"], compat?: Compat, context = withTools as ModelContext) =>
    bodyOf(context, { ...(toolChoice && { toolChoice }) }, { ...gpt6, ...(compat && { compat }) }).tool_choice;

  test.each(["auto", "none", "required"] as const)("%s", (choice) => {
    expect(choose(choice)).toBe(choice);
  });

  test("is omitted without tools, for an unknown tool, and if the server has none", () => {
    expect(choose(undefined)).toBeUndefined();
    expect(choose("required", undefined, hi)).toBeUndefined();
    expect(choose({ name: "gone" })).toBeUndefined();
    expect(choose({ name: "read" }, { supportsToolChoice: false })).toBeUndefined();
  });
});

test.each<[number | undefined, number | undefined]>([
  [undefined, undefined],
  [1, 16],
  [500, 500],
  [1_000_000, 128_000],
])("a limit of %p tokens becomes %p", (maxTokens, expected) => {
  expect(bodyOf(hi, { ...(maxTokens && { maxTokens }) }).max_output_tokens).toBe(expected as number);
});

describe("caching", () => {
  const cache = (options: RequestOptions, model: Model = gpt6) => {
    const { prompt_cache_key, prompt_cache_retention } = bodyOf(hi, { sessionId: "s".repeat(70), ...options }, model);
    return [prompt_cache_key, prompt_cache_retention];
  };
  test("a key of at most 64 characters for any address; long retention only at OpenAI itself", () => {
    const key = "s".repeat(64);
    expect(cache({})).toEqual([key, undefined]);
    expect(cache({ cacheRetention: "none" })).toEqual([undefined, undefined]);
    expect(cache({ cacheRetention: "long" })).toEqual([key, "24h"]);
    expect(cache({ cacheRetention: "long" }, { ...gpt6, baseUrl: "http://127.0.0.1:1/v1" })).toEqual([key, undefined]);
    expect(cache({ cacheRetention: "long" }, elsewhere)).toEqual([key, undefined]);
    const able = { ...elsewhere, compat: { supportsLongCacheRetention: true } };
    expect(cache({ cacheRetention: "long" }, able)).toEqual([key, "24h"]);
  });
  test("no key if the server does not accept it", () => {
    expect(cache({}, { ...elsewhere, compat: { supportsPromptCacheKey: false } })).toEqual([undefined, undefined]);
  });
});

test("server deviations", () => {
  const compat = { supportsStore: false, supportsStrictMode: false, extraBody: { service_tier: "flex" } };
  const body = bodyOf(withTools, {}, { ...elsewhere, compat });
  expect(body).not.toHaveProperty("store");
  expect(body.tools?.[0]).not.toHaveProperty("strict");
  expect(body.service_tier).toBe("flex");
  expect(bodyOf(withTools, {}, elsewhere)).toMatchObject({
    store: false,
    tools: [{ strict: false }, { strict: false }],
  });
});
