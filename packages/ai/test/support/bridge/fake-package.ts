import type { ProviderPackage } from "../../../src/bridge/language-model.ts";
import type { Model } from "../../../src/model.ts";

export type Version = "v2" | "v3" | "v4";

export const cloudModel: Model = {
  id: "m-1",
  name: "M",
  api: "ai-sdk",
  provider: "cloud",
  baseUrl: "@fake/cloud",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 },
  contextWindow: 100_000,
  maxTokens: 40_000,
};

interface FakeOptions {
  version?: Version;
  provider?: string;
  /** The parts of the stream, or a replacement for `doStream`. */
  parts?: readonly unknown[] | ((options: Record<string, unknown>) => Promise<{ stream: ReadableStream<unknown> }>);
}

/** A minimal AI SDK provider package: it records its calls and streams what it is given. */
export function fakePackage({ version = "v3", provider = "cloud.chat", parts = [] }: FakeOptions) {
  const made: object[] = [];
  const calls: Record<string, unknown>[] = [];
  const createCloud = (settings: object) => {
    made.push(settings);
    return {
      languageModel: (modelId: string) => ({
        specificationVersion: version,
        provider,
        modelId,
        doStream: async (options: Record<string, unknown>) => {
          calls.push(options);
          return typeof parts === "function" ? parts(options) : { stream: streamOf(parts) };
        },
      }),
    };
  };
  const providerPackage: ProviderPackage = { name: "@fake/cloud", load: async () => ({ createCloud }) };
  return { providerPackage, made, calls };
}

export function streamOf(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** As each version spells it. */
export function finish(version: Version, reason: string, more: object = {}): object {
  if (version === "v2") {
    const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120, reasoningTokens: 5, cachedInputTokens: 40 };
    return { type: "finish", finishReason: reason, usage, ...more };
  }
  const usage = {
    inputTokens: { total: 100, noCache: 50, cacheRead: 40, cacheWrite: 10 },
    outputTokens: { total: 20, text: 15, reasoning: 5 },
  };
  return { type: "finish", finishReason: { unified: reason, raw: `raw_${reason}` }, usage, ...more };
}
