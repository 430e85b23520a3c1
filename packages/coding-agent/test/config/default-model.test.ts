import { describe, expect, test } from "bun:test";
import { type Model, offlineModel } from "@pintle/ai";
import { AuthStorage } from "../../src/config/auth-storage.ts";
import { chooseDefaultModel, type DefaultModelInput } from "../../src/config/default-model.ts";
import { ModelRegistry } from "../../src/config/model-registry.ts";
import { tempHome } from "./temp-home.ts";

interface Case extends Omit<DefaultModelInput, "registry"> {
  env?: Record<string, string>;
  providers?: Record<string, unknown>;
  offline?: boolean;
}

/** The choice in short: model, level and notice, or the error. */
async function choose({ env = {}, providers = {}, offline, ...input }: Case) {
  using home = tempHome({ "models.json": { providers } });
  const auth = AuthStorage.create(home.path("auth.json"), { env });
  const registry = ModelRegistry.create(auth, home.path("models.json"), { offline });
  const result = await chooseDefaultModel({ registry, ...input });
  if ("error" in result) return result;
  const { model, ...rest } = result;
  return { model: `${model.provider}/${model.id}`, ...rest };
}

const bothKeys = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" };
const local: Model = { ...offlineModel, provider: "ollama", id: "qwen3:8b", api: "openai-completions" };
const OFFLINE_NOTICE =
  "No model is configured: using the built-in offline model, a fixed set of rules without AI. " +
  "For a real one set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY, DEEPSEEK_API_KEY, XAI_API_KEY, OPENROUTER_API_KEY, …), start a local server, or write models.json.";
const keyless = {
  api: "openai-completions",
  baseUrl: "http://box/v1",
  auth: "none",
  models: [{ id: "b" }, { id: "c" }],
};

describe("order of the sources", () => {
  const stored = { provider: "openai", modelId: "gpt-5.1" };
  const settings = { defaultProvider: "openai", defaultModel: "gpt-6-luna" };
  test.each([
    [
      "--model before everything",
      { env: bothKeys, flags: { model: "haiku", models: ["gpt-5.1"] }, stored, settings },
      { model: "anthropic/claude-haiku-4-5", thinkingLevel: "medium" },
    ],
    [
      "--provider alone: its default",
      { env: bothKeys, flags: { provider: "OpenAI" }, stored },
      { model: "openai/gpt-6-sol", thinkingLevel: "off" },
    ],
    [
      "the first of --models",
      { env: bothKeys, flags: { models: ["nope", "gpt-5.1:low", "haiku"] }, settings },
      { model: "openai/gpt-5.1", thinkingLevel: "low" },
    ],
    [
      "not when resuming: the session's model",
      { env: bothKeys, flags: { models: ["haiku"] }, stored, settings },
      { model: "openai/gpt-5.1", thinkingLevel: "medium" },
    ],
    ["the settings", { env: bothKeys, settings }, { model: "openai/gpt-6-luna", thinkingLevel: "off" }],
    [
      "settings with a pattern and a level",
      { env: bothKeys, settings: { defaultModel: "gpt-5.1:high" } },
      { model: "openai/gpt-5.1", thinkingLevel: "high" },
    ],
    [
      "settings with a provider alone",
      { env: bothKeys, settings: { defaultProvider: "openai" } },
      { model: "openai/gpt-6-sol", thinkingLevel: "off" },
    ],
    [
      "the first provider with a key",
      { env: { XAI_API_KEY: "x", DEEPSEEK_API_KEY: "d" } },
      { model: "deepseek/deepseek-v4-pro", thinkingLevel: "medium" },
    ],
    [
      "a provider that cannot be called yet does not count",
      { env: { GEMINI_API_KEY: "g", GROQ_API_KEY: "q" } },
      { model: "groq/openai/gpt-oss-120b", thinkingLevel: "medium" },
    ],
    [
      "a provider of one's own, without key, with its first model",
      { providers: { box: keyless } },
      { model: "box/b", thinkingLevel: "off" },
    ],
    [
      "a known provider before it",
      { env: { ZAI_API_KEY: "z" }, providers: { box: keyless } },
      { model: "zai/glm-5.3", thinkingLevel: "medium" },
    ],
    [
      "a local server that answers",
      { probeLocal: async () => local },
      { model: "ollama/qwen3:8b", thinkingLevel: "off" },
    ],
    [
      "the offline model, with a notice",
      { probeLocal: async () => undefined },
      { model: "pintle/offline", thinkingLevel: "off", notice: OFFLINE_NOTICE },
    ],
    [
      "the offline model, although there is a key for something else",
      { env: { GEMINI_API_KEY: "g" } },
      {
        model: "pintle/offline",
        thinkingLevel: "off",
        notice: `There is a key for google, but this version cannot call it yet.\n${OFFLINE_NOTICE}`,
      },
    ],
    ["nothing at all", { offline: false }, { error: "No models available." }],
  ] as [string, Case, object][])("%s", async (_name, input, expected) => {
    expect(await choose(input)).toEqual(expected as never);
  });

  test("local servers are not asked while a provider has a key", async () => {
    let asked = false;
    const probeLocal = async () => {
      asked = true;
      return local;
    };
    await choose({ env: bothKeys, probeLocal });
    expect(asked).toBe(false);
  });
});

describe("flags that cannot be met", () => {
  test.each([
    [{ provider: "antropic" }, /^Unknown provider "antropic"\. Known: anthropic, openai, google, .*, pintle\.$/],
    [{ model: "no-such" }, /^No model matches "no-such"\. See --list-models\.$/],
    [{ provider: "pintle", model: "no-such" }, /^No model matches "no-such"\. See --list-models\.$/],
    [{ provider: "ollama" }, /^Ollama did not answer at http:\/\/localhost:11434\/v1\. Name a model with --model\.$/],
  ])("%j", async (flags, expected) => {
    expect(await choose({ env: bothKeys, flags })).toEqual({ error: expect.stringMatching(expected) } as never);
  });

  test("a model without a key is chosen all the same: the first prompt names the key", async () => {
    expect(await choose({ flags: { model: "gpt-5.1" } })).toEqual({ model: "openai/gpt-5.1", thinkingLevel: "medium" });
  });
});

test.each<[Case["flags"], object]>([
  [{ provider: "pintle" }, { model: "pintle/offline", thinkingLevel: "off" }],
  [{ model: "pintle/offline" }, { model: "pintle/offline", thinkingLevel: "off" }],
])("the offline model can be asked for: %j", async (flags, expected) => {
  expect(await choose({ env: bothKeys, flags })).toEqual(expected as never);
});

test("--provider with an unlisted model tries it, and says so", async () => {
  expect(await choose({ env: bothKeys, flags: { provider: "anthropic", model: "claude-next:high" } })).toEqual({
    model: "anthropic/claude-next",
    thinkingLevel: "high",
    notice: 'Model "claude-next" is not listed for anthropic; its limits and prices are assumed.',
  });
});

test("--provider naming a local server asks that one", async () => {
  const asked: (string | undefined)[] = [];
  const probeLocal = async (provider?: string) => {
    asked.push(provider);
    return local;
  };
  const choice = await choose({ env: bothKeys, flags: { provider: "ollama" }, probeLocal });
  expect(choice).toEqual({ model: "ollama/qwen3:8b", thinkingLevel: "off" });
  expect(asked).toEqual(["ollama"]);
});

describe("a model that is gone or has no key is passed over, with a notice", () => {
  test.each([
    [
      "the session's model is unknown",
      { env: bothKeys, stored: { provider: "openai", modelId: "gpt-2" } },
      "The session's model openai/gpt-2 is not known. Using anthropic/claude-opus-5-5.",
    ],
    [
      "the session's provider is unknown",
      { env: bothKeys, stored: { provider: "gone", modelId: "x" } },
      "The session's model gone/x is not known. Using anthropic/claude-opus-5-5.",
    ],
    [
      "the session's model has no key",
      { env: bothKeys, stored: { provider: "xai", modelId: "grok-4.6" } },
      "The session's model xai/grok-4.6 has no API key. Using anthropic/claude-opus-5-5.",
    ],
    [
      "the session's model cannot be called",
      { env: { ...bothKeys, GEMINI_API_KEY: "g" }, stored: { provider: "google", modelId: "gemini-3.8-flash" } },
      "The session's model google/gemini-3.8-flash cannot be called by this version. Using anthropic/claude-opus-5-5.",
    ],
    [
      "the settings name an unknown provider",
      { env: bothKeys, settings: { defaultProvider: "gone", defaultModel: "x" } },
      "The default model gone/x of the settings is not known. Using anthropic/claude-opus-5-5.",
    ],
    [
      "the settings name an unknown model",
      { env: bothKeys, settings: { defaultProvider: "openai", defaultModel: "gpt-2" } },
      "The default model openai/gpt-2 of the settings is not known. Using anthropic/claude-opus-5-5.",
    ],
    [
      "both",
      { env: bothKeys, stored: { provider: "gone", modelId: "x" }, settings: { defaultModel: "glm-5.3" } },
      "The session's model gone/x is not known. Using anthropic/claude-opus-5-5.\n" +
        "The default model glm-5.3 of the settings has no API key. Using anthropic/claude-opus-5-5.",
    ],
  ] as [string, Case, string][])("%s", async (_name, input, notice) => {
    expect(await choose(input)).toEqual({ model: "anthropic/claude-opus-5-5", thinkingLevel: "medium", notice });
  });

  test.each([
    ["a session", { stored: { provider: "ollama", modelId: "qwen3:8b" } }],
    ["the settings", { settings: { defaultProvider: "ollama", defaultModel: "qwen3:8b" } }],
  ])("but what a local server serves is listed nowhere, so %s is trusted", async (_name, input) => {
    expect(await choose({ env: bothKeys, ...input })).toEqual({ model: "ollama/qwen3:8b", thinkingLevel: "off" });
  });
});

describe("thinking level", () => {
  const env = { OPENAI_API_KEY: "o" };
  const stored = { provider: "openai", modelId: "gpt-5.1", thinkingLevel: "low" } as const;
  const settings = { defaultModel: "gpt-5.1", defaultThinkingLevel: "high" } as const;
  test.each([
    ["--thinking", { flags: { model: "gpt-5.1:low", thinking: "high" } }, "high"],
    ["then the pattern", { flags: { model: "gpt-5.1:low" }, settings }, "low"],
    ["then the session", { stored, settings }, "low"],
    ["then the settings", { settings }, "high"],
    ["then medium", { settings: { defaultModel: "gpt-5.1" } }, "medium"],
    ["as far as the model can: upwards", { flags: { model: "gpt-5.1", thinking: "minimal" } }, "low"],
    ["or downwards", { flags: { model: "gpt-5.1", thinking: "xhigh" } }, "high"],
    ["off stays off", { flags: { model: "gpt-5.1", thinking: "off" } }, "off"],
  ] as [string, Case, string][])("%s", async (_name, input, thinkingLevel) => {
    expect(await choose({ env, ...input })).toMatchObject({ thinkingLevel });
  });
});
