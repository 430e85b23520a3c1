import { expect, test } from "bun:test";
import { loadLanguageModel } from "../../src/bridge/language-model.ts";
import { cloudModel } from "../support/bridge/fake-package.ts";

const doStream = async () => ({ stream: new ReadableStream() });
/** A factory whose model reports who created it. */
const factory = (provider: string) => () => (modelId: string) => ({
  specificationVersion: "v2",
  provider,
  modelId,
  doStream,
});

async function providerOf(name: string, module: object): Promise<string> {
  const loaded = await loadLanguageModel({ name, load: async () => module }, cloudModel, {}).catch(
    (error: Error) => error,
  );
  return loaded instanceof Error ? loaded.message : loaded.provider;
}

test.each([
  [
    "the only one",
    "@openrouter/ai-sdk-provider",
    { createOpenRouter: factory("openrouter"), VERSION: "1" },
    "openrouter",
  ],
  [
    "the one the package is called after",
    "@ai-sdk/google-vertex/anthropic",
    { createOther: factory("other"), createVertexAnthropic: factory("vertex") },
    "vertex",
  ],
  ["the nearest", "@ai-sdk/azure", { createSomethingLonger: factory("else"), createAzure: factory("azure") }, "azure"],
  ["one of a CommonJS package", "cjs", { default: { createCjs: factory("cjs") } }, "cjs"],
  [
    "none",
    "left-pad",
    { default: () => "", pad: 1 },
    "left-pad is not an AI SDK provider: it exports no create… function",
  ],
  [
    "one of another age",
    "old",
    { createOld: () => () => ({ specificationVersion: "v1", doStream }) },
    "old speaks version v1 of the AI SDK's interface; pintle supports v2 to v4",
  ],
  [
    "one that makes nothing",
    "odd",
    { createOdd: () => undefined },
    "odd speaks version undefined of the AI SDK's interface; pintle supports v2 to v4",
  ],
])("the factory of a package: %s", async (_what, name, module, expected) => {
  expect(await providerOf(name, module)).toBe(expected);
});
