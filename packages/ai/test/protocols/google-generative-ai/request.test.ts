import { describe, expect, test } from "bun:test";
import type { Model } from "../../../src/model.ts";
import { googleGenerativeAi } from "../../../src/protocols/google-generative-ai/google-generative-ai.ts";
import type { ModelContext, RequestOptions, ToolDefinition } from "../../../src/protocols/protocol.ts";
import type { ThinkingLevel } from "../../../src/thinking.ts";
import { gemini } from "../../support/protocols/google-generative-ai/samples.ts";

const hi: ModelContext = { messages: [{ role: "user", content: "hi", timestamp: 1 }] };
const readTool: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string", minLength: 1 } }, required: ["path"] },
};
const bashTool: ToolDefinition = { name: "bash", description: "Runs a command.", parameters: {} };
const withTools = { ...hi, tools: [bashTool, readTool] };

interface Body {
  toolConfig?: { functionCallingConfig: object };
  generationConfig: { maxOutputTokens: number; thinkingConfig?: object };
  safetySettings?: unknown;
}
function bodyOf(context: ModelContext, options: RequestOptions = {}, model: Model = gemini): Body {
  return googleGenerativeAi.request(model, context, options).body as Body;
}

test("a request with everything", () => {
  expect(
    bodyOf(
      { ...withTools, systemPrompt: "You are pintle." },
      { thinkingLevel: "high", toolChoice: { name: "read" }, maxTokens: 9000, sessionId: "s", cacheRetention: "long" },
    ),
  ).toEqual({
    systemInstruction: { parts: [{ text: "You are pintle." }] },
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    tools: [
      {
        functionDeclarations: [
          { name: "bash", description: "Runs a command.", parametersJsonSchema: { type: "object", properties: {} } },
          {
            name: "read",
            description: "Reads a file.",
            parametersJsonSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read"] } },
    generationConfig: { maxOutputTokens: 9000, thinkingConfig: { includeThoughts: true, thinkingLevel: "HIGH" } },
  } as never);
});

test("a minimal request contains no optional fields", () => {
  expect(bodyOf({ ...hi, systemPrompt: " " }, {}, { ...gemini, reasoning: false })).toEqual({
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { maxOutputTokens: 65_536 },
  } as never);
});

describe("address and headers", () => {
  test.each<[string, string, string]>([
    ["https://x.test/v1beta", "gemini-3", "https://x.test/v1beta/models/gemini-3"],
    ["https://x.test/v1beta/", "models/gemini-3", "https://x.test/v1beta/models/gemini-3"],
    ["https://x.test", "tunedModels/mine", "https://x.test/v1beta/tunedModels/mine"],
    ["https://x.test/proxy/v1", "a?b", "https://x.test/proxy/v1/models/a%3Fb"],
  ])("%s and %s", (baseUrl, id, expected) => {
    const { url } = googleGenerativeAi.request({ ...gemini, baseUrl, id }, hi, {});
    expect(url).toBe(`${expected}:streamGenerateContent?alt=sse`);
  });

  test("the key is never part of the address", () => {
    const { url, headers } = googleGenerativeAi.request(gemini, hi, { apiKey: "secret", headers: { "X-Tenant": "t" } });
    expect(headers).toEqual({ "x-goog-api-key": "secret", "x-tenant": "t" });
    expect(url).not.toContain("secret");
    expect(googleGenerativeAi.request(gemini, hi, {}).headers).toEqual({});
  });
});

describe("thinking", () => {
  const levels: ThinkingLevel[] = ["off", "minimal", "low", "medium", "high"];
  test.each<[string, (string | number)[]]>([
    ["gemini-2.5-pro", [128, 128, 2048, 8192, 32_768]],
    ["gemini-2.5-flash", [0, 128, 2048, 8192, 24_576]],
    ["gemini-2.5-flash-lite-preview", [0, 512, 2048, 8192, 24_576]],
    ["gemini-3-pro-preview", ["LOW", "LOW", "LOW", "HIGH", "HIGH"]],
    ["gemini-3.1-pro-preview", ["LOW", "LOW", "LOW", "HIGH", "HIGH"]],
    ["gemini-3-flash-preview", ["MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH"]],
    ["gemini-3.6-flash", ["MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH"]],
    ["gemini-3.5-flash-lite", ["MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH"]],
    ["gemini-3.8-flash", ["LOW", "LOW", "LOW", "MEDIUM", "HIGH"]],
    ["gemini-flash-latest", ["LOW", "LOW", "LOW", "MEDIUM", "HIGH"]],
  ])("%s", (id, depths) => {
    const configs = levels.map((thinkingLevel) => bodyOf(hi, { thinkingLevel }, { ...gemini, id }));
    expect(configs.map(({ generationConfig }) => generationConfig.thinkingConfig)).toEqual(
      depths.map((depth, at) => ({
        ...(at > 0 && { includeThoughts: true }),
        ...(typeof depth === "number" ? { thinkingBudget: depth } : { thinkingLevel: depth }),
      })),
    );
  });

  const config = (thinkingLevel: ThinkingLevel, model: Partial<Model>, more: RequestOptions = {}) =>
    bodyOf(hi, { thinkingLevel, ...more }, { ...gemini, ...model }).generationConfig.thinkingConfig;

  test("the user's names and budgets win", () => {
    const thinkingLevelMap = { off: "0", low: "medium", xhigh: "30000" };
    expect(config("off", { thinkingLevelMap })).toEqual({ thinkingBudget: 0 });
    expect(config("low", { thinkingLevelMap })).toEqual({ includeThoughts: true, thinkingLevel: "MEDIUM" });
    expect(config("xhigh", { thinkingLevelMap })).toEqual({ includeThoughts: true, thinkingBudget: 30_000 });
    const thinkingBudgets = { medium: 5000.5 };
    expect(config("medium", { id: "gemini-2.5-pro" }, { thinkingBudgets })).toEqual({
      includeThoughts: true,
      thinkingBudget: 5000,
    });
    expect(config("medium", {}, { thinkingBudgets })).toEqual({ includeThoughts: true, thinkingLevel: "MEDIUM" });
  });

  test("an unknown model is only asked to show its thoughts", () => {
    expect(config("high", { id: "mystery" })).toEqual({ includeThoughts: true });
    expect(config("off", { id: "mystery" })).toEqual({});
  });
});

describe("tool choice", () => {
  const choose = (toolChoice: RequestOptions["toolChoice"], model: Model = gemini, context: ModelContext = withTools) =>
    bodyOf(context, { ...(toolChoice && { toolChoice }) }, model).toolConfig?.functionCallingConfig;

  test("uses the API's names", () => {
    expect(choose("none")).toEqual({ mode: "NONE" });
    expect(choose("required")).toEqual({ mode: "ANY" });
    expect(choose({ name: "bash" })).toEqual({ mode: "ANY", allowedFunctionNames: ["bash"] });
  });

  test("is omitted if it has no effect or cannot be expressed", () => {
    expect(choose("auto")).toBeUndefined();
    expect(choose(undefined)).toBeUndefined();
    expect(choose({ name: "gone" })).toBeUndefined();
    expect(choose("required", gemini, hi)).toBeUndefined();
    expect(choose("required", { ...gemini, compat: { supportsToolChoice: false } })).toBeUndefined();
  });
});

test("the model limits tokens, and the user can extend the body", () => {
  expect(bodyOf(hi, { maxTokens: 1_000_000 }).generationConfig.maxOutputTokens).toBe(65_536);
  expect(bodyOf(hi, { maxTokens: 0 }).generationConfig.maxOutputTokens).toBe(1);
  const budgeted = bodyOf(hi, { maxTokens: 1000, thinkingLevel: "low" }, { ...gemini, id: "gemini-2.5-flash" });
  expect(budgeted.generationConfig.maxOutputTokens).toBe(3048);
  const compat = { extraBody: { safetySettings: [] } };
  expect(bodyOf(hi, {}, { ...gemini, compat }).safetySettings).toEqual([]);
});
