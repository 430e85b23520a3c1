import type { Model } from "../../../../src/model.ts";

export const gemini: Model = {
  id: "gemini-3.8-test",
  name: "Gemini Test",
  api: "google-generative-ai",
  provider: "google",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 5, cacheRead: 0.5, cacheWrite: 0 },
  contextWindow: 1_048_576,
  maxTokens: 65_536,
};
export const gemini25: Model = { ...gemini, id: "gemini-2.5-flash" };

export const USAGE = {
  promptTokenCount: 1117,
  candidatesTokenCount: 26,
  totalTokenCount: 1163,
  cachedContentTokenCount: 1024,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 1117 }],
  cacheTokensDetails: [{ modality: "TEXT", tokenCount: 1024 }],
  thoughtsTokenCount: 20,
};
const TAIL = { modelVersion: "gemini-3.8-test", responseId: "Il0taoSYJ5Cez7IP" };

/** Any chunk, as the vendor frames it. */
export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** A chunk with content. */
export function chunk(...parts: object[]): string {
  return event({
    candidates: [{ content: { parts, role: "model" }, index: 0 }],
    usageMetadata: { promptTokenCount: 1117, totalTokenCount: 1117 },
    ...TAIL,
  });
}

/** The last chunk: its content, if any, and why the answer ends. */
export function last(finishReason: string, parts: object[] = [], more: object = {}): string {
  return event({
    candidates: [{ content: { parts, role: "model" }, finishReason, index: 0, ...more }],
    usageMetadata: USAGE,
    ...TAIL,
  });
}

export function call(name: string, args: object, more: object = {}): object {
  return { functionCall: { name, args, id: `id-${name}` }, ...more };
}
