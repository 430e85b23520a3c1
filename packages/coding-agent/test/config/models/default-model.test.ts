import { describe, expect, test } from "bun:test";
import { AuthStorage } from "../../../src/config/keys/auth-storage.ts";
import { chooseDefaultModel, type DefaultModelInput } from "../../../src/config/models/default-model.ts";
import { ModelRegistry } from "../../../src/config/models/model-registry.ts";
import { CLOSED, localDouble, localEnvironment, ollama } from "../../support/config/local-double.ts";
import { tempHome } from "../../support/config/temp-home.ts";

interface Case extends Omit<DefaultModelInput, "registry"> {
  env?: Record<string, string>;
  providers?: Record<string, unknown>;
  keys?: Record<string, string>;
  offline?: boolean;
}

/** Summarizes the choice: model, level and notice, or the error. */
async function choose({ env = {}, providers = {}, keys = {}, offline = true, ...input }: Case) {
  const stored = Object.entries(keys).map(([provider, key]) => [provider, { type: "api_key", key }]);
  using home = tempHome({ "models.json": { providers }, "auth.json": Object.fromEntries(stored) });
  const auth = AuthStorage.create(home.path("auth.json"), { env: { ...localEnvironment(), ...env } });
  const registry = ModelRegistry.create(auth, home.path("models.json"), { offline });
  const result = await chooseDefaultModel({ registry, localLimitMs: 20_000, ...input });
  if ("error" in result) return result;
  const { model, ...rest } = result;
  return { model: `${model.provider}/${model.id}`, ...rest };
}

const bothKeys = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" };
const OFFLINE_NOTICE =
  "No model is configured: using the built-in offline model, a fixed set of rules without AI. " +
  "For a real one set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY, DEEPSEEK_API_KEY, XAI_API_KEY, …), start a local server, or write models.json.";
const notInstalled = { api: "ai-sdk", package: "@ai-sdk/not-there", apiKey: "k", models: [{ id: "c" }] };
const keyed = { api: "openai-completions", baseUrl: "http://box/v1", models: [{ id: "b" }] };
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
      { model: "openai/gpt-6-sol", thinkingLevel: "medium" },
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
    ["the settings", { env: bothKeys, settings }, { model: "openai/gpt-6-luna", thinkingLevel: "medium" }],
    [
      "settings with a pattern and a level",
      { env: bothKeys, settings: { defaultModel: "gpt-5.1:high" } },
      { model: "openai/gpt-5.1", thinkingLevel: "high" },
    ],
    [
      "settings with a provider alone",
      { env: bothKeys, settings: { defaultProvider: "openai" } },
      { model: "openai/gpt-6-sol", thinkingLevel: "medium" },
    ],
    [
      "the first provider with a key",
      { env: { XAI_API_KEY: "x", DEEPSEEK_API_KEY: "d" } },
      { model: "deepseek/deepseek-v4-pro", thinkingLevel: "medium" },
    ],
    [
      "a provider whose package is not installed does not count",
      { providers: { away: notInstalled, box: keyless } },
      { model: "box/b", thinkingLevel: "off" },
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
      "the offline model, with a notice",
      { settings: { probeLocal: true } },
      { model: "pintle/offline", thinkingLevel: "off", notice: OFFLINE_NOTICE },
    ],
    [
      "a provider of one's own, with its key in auth.json alone",
      { providers: { mine: keyed }, keys: { mine: "k" } },
      { model: "mine/b", thinkingLevel: "off" },
    ],
    [
      "the offline model in the place of nothing that is configured",
      { providers: { away: notInstalled, mine: keyed, ollama: {} }, keys: { other: "k" } },
      {
        error: [
          "No configured model can be used.",
          "ollama did not report which models it has.",
          "away needs the package @ai-sdk/not-there, which is not installed.",
          "mine has no API key. Add the key to auth.json.",
          "other has a key in auth.json, but is not a known provider.",
          "The built-in offline model is --model pintle/offline.",
        ].join("\n"),
      },
    ],
    ["nothing at all", { offline: false }, { error: "No models available." }],
  ] as [string, Case, object][])("%s", async (_name, input, expected) => {
    expect(await choose(input)).toEqual(expected as never);
  });

  test("a local server that answers", async () => {
    await using double = localDouble(ollama);
    const env = localEnvironment({ ollama: double.origin });
    expect(await choose({ env, settings: { probeLocal: true } })).toEqual({
      model: "ollama/qwen3:8b",
      thinkingLevel: "medium",
    });
  });

  test.each([
    ["a provider has a key", { ...bothKeys }, true],
    ["the setting is off", {}, false],
  ])("local servers are not asked while %s", async (_why, keys, probeLocal) => {
    await using double = localDouble(ollama);
    await choose({ env: { ...keys, ...localEnvironment({ ollama: double.origin }) }, settings: { probeLocal } });
    expect(double.asked).toEqual([]);
  });
});

describe("flags that cannot be met", () => {
  test.each([
    [{ provider: "antropic" }, /^Unknown provider "antropic"\. Known: anthropic, openai, google, .*, pintle\.$/],
    [{ model: "no-such" }, /^No model matches "no-such"\. See --list-models\.$/],
    [{ provider: "pintle", model: "no-such" }, /^No model matches "no-such"\. See --list-models\.$/],
    [{ provider: "ollama" }, /^Ollama did not answer at http:\/\/127\.0\.0\.1:9\/v1\. Name a model with --model\.$/],
  ])("%j", async (flags, expected) => {
    expect(await choose({ env: { ...bothKeys, OLLAMA_BASE_URL: CLOSED }, flags })).toEqual({
      error: expect.stringMatching(expected),
    } as never);
  });

  const NO_KEY = "has no API key. Set OPENAI_API_KEY, or add the key to auth.json.";
  test.each<[Case, string]>([
    [{ flags: { model: "gpt-5.1" } }, `The model openai/gpt-5.1 (--model) ${NO_KEY}`],
    [{ flags: { model: "openai/new" } }, `The model openai/new (--model) ${NO_KEY}`],
    [{ flags: { provider: "openai" } }, `The model openai/gpt-6-sol (--provider) ${NO_KEY}`],
    [
      { flags: { model: "away/c" }, providers: { away: notInstalled } },
      "The model away/c (--model) needs the package @ai-sdk/not-there, which is not installed.",
    ],
    [
      { flags: { models: ["gpt-5.1", "nope"] } },
      'None of --models can be used.\nNo model matches "gpt-5.1". See --list-models.\nNo model matches "nope". See --list-models.',
    ],
  ])("what cannot be used is no reason to take another: %j", async (input, error) => {
    expect(await choose({ env: { ANTHROPIC_API_KEY: "a" }, ...input })).toEqual({ error });
  });

  test("a key from the caller is used", async () => {
    expect(await choose({ flags: { model: "gpt-5.1" }, hasGivenKey: true })).toMatchObject({ model: "openai/gpt-5.1" });
  });
});

test.each<[NonNullable<Case["flags"]>, object]>([
  [{ provider: "pintle" }, { model: "pintle/offline", thinkingLevel: "off" }],
  [{ model: "pintle/offline" }, { model: "pintle/offline", thinkingLevel: "off" }],
])("the offline model can be asked for: %j", async (flags, expected) => {
  expect(await choose({ env: bothKeys, flags })).toEqual(expected as never);
});

test.each<[NonNullable<Case["flags"]>]>([
  [{ provider: "anthropic", model: "claude-next:high" }],
  [{ model: "Anthropic/claude-next:high" }],
])("an unlisted model of a named provider is tried, and reported: %j", async (flags) => {
  expect(await choose({ env: bothKeys, flags })).toEqual({
    model: "anthropic/claude-next",
    thinkingLevel: "high",
    notice:
      'Model "claude-next" is not listed for anthropic: using it as a custom model id, with assumed limits and prices.',
  });
});

test("a model whose full id looks like provider/id is that model, if it can be used", async () => {
  const routed = { ...keyless, models: [{ id: "openai/gpt-x" }] };
  const flags = { model: "openai/gpt-x" };
  const [there, gone] = [{ routed }, {}];
  expect(await choose({ env: bothKeys, flags, providers: there })).toMatchObject({ model: "routed/openai/gpt-x" });
  expect(await choose({ env: bothKeys, flags, providers: gone })).toMatchObject({ model: "openai/gpt-x" });
});

test("does not wait for a local server that does not answer", async () => {
  await using silent = localDouble({ "/api/tags": () => new Promise(() => {}) });
  const choice = { env: localEnvironment({ ollama: silent.origin }), settings: { probeLocal: true } };
  expect(await choose({ ...choice, localLimitMs: 30 })).toMatchObject({ model: "pintle/offline" });
});

describe("flags that name a local server ask it, whatever the setting says", () => {
  const assumed = (id: string) =>
    `Model "${id}" is not listed for ollama: using it as a custom model id, with assumed limits and prices.`;
  test.each([
    [{ provider: "ollama" }, { model: "ollama/qwen3:8b", thinkingLevel: "medium" }],
    [
      { provider: "Ollama", model: "gemma" },
      { model: "ollama/gemma3:4b", thinkingLevel: "off" },
    ],
    [{ model: "ollama/gemma3:4b" }, { model: "ollama/gemma3:4b", thinkingLevel: "off" }],
    [{ model: "ollama/qwen3:8b:low" }, { model: "ollama/qwen3:8b", thinkingLevel: "low" }],
    [{ model: "ollama/new:1b" }, { model: "ollama/new:1b", thinkingLevel: "off", notice: assumed("new:1b") }],
  ])("%j", async (flags, expected) => {
    await using double = localDouble(ollama);
    await using other = localDouble({});
    const env = { ...bothKeys, ...localEnvironment({ ollama: double.origin, lmStudio: other.origin }) };
    const choice = await choose({ env, flags, settings: { probeLocal: false } });
    expect(choice).toEqual(expected as never);
    expect(other.asked).toEqual([]);
  });

  test("what the server does not report is assumed: --model works while it is down", async () => {
    const env = { ...bothKeys, ...localEnvironment() };
    expect(await choose({ env, flags: { model: "ollama/qwen3:8b" } })).toEqual({
      model: "ollama/qwen3:8b",
      thinkingLevel: "off",
      notice: assumed("qwen3:8b"),
    });
  });
});

describe("a session whose model is gone", () => {
  const cases: [string, Case, string][] = [
    [
      "its provider is unknown",
      { env: bothKeys, stored: { provider: "gone", modelId: "x" } },
      "The session's model gone/x is unknown.",
    ],
    [
      "it has no key",
      { env: bothKeys, stored: { provider: "xai", modelId: "grok-4.6" } },
      "The session's model xai/grok-4.6 has no API key. Set XAI_API_KEY, or add the key to auth.json.",
    ],
    [
      "its package is not installed",
      { env: bothKeys, providers: { away: notInstalled }, stored: { provider: "away", modelId: "c" } },
      "The session's model away/c needs the package @ai-sdk/not-there, which is not installed.",
    ],
  ];
  test.each(cases)("continues with another, and says so before anything is sent: %s", async (_name, input, why) => {
    expect(await choose(input)).toEqual({
      model: "anthropic/claude-opus-5-5",
      thinkingLevel: "medium",
      notice: `${why} Using anthropic/claude-opus-5-5.`,
    });
  });

  test.each(cases)("is an error if no user could read a notice: %s", async (_name, input, why) => {
    const error = `${why}\nName the model to continue with: --model.`;
    expect(await choose({ ...input, isUnattended: true })).toEqual({ error });
  });

  test("is not gone just because it is not listed", async () => {
    expect(await choose({ env: bothKeys, stored: { provider: "openai", modelId: "gpt-2" } })).toEqual({
      model: "openai/gpt-2",
      thinkingLevel: "medium",
      notice: 'Model "gpt-2" is not listed for openai: using it as a custom model id, with assumed limits and prices.',
    });
  });
});

describe("settings that name something unusable are an error, whatever else has a key", () => {
  test.each<[Case, string]>([
    [{ settings: { defaultProvider: "gone", defaultModel: "x" } }, 'defaultProvider: Unknown provider "gone". Known: '],
    [{ settings: { defaultModel: "claude-opsu" } }, 'defaultModel: No model matches "claude-opsu". See --list-models.'],
    [
      { settings: { defaultProvider: "openai", defaultModel: "gpt-2" } },
      'defaultModel: No model matches "gpt-2". See --list-models.',
    ],
    [
      { settings: { defaultProvider: "box", defaultModel: "typo" }, providers: { box: keyless } },
      'defaultModel: No model matches "typo". See --list-models.',
    ],
    [{ settings: { defaultModel: "glm-5.3" } }, "The model zai/glm-5.3 (defaultModel) has no API key. Set ZAI_API_KEY"],
    [{ settings: { defaultProvider: "zai" } }, "The model zai/glm-5.3 (defaultProvider) has no API key."],
    [{ settings: { defaultProvider: "ollama" } }, "defaultProvider: Ollama lists no models. Name one as defaultModel."],
    [
      { settings: { defaultProvider: "mine" }, providers: { mine: keyed } },
      "The model mine/b (defaultProvider) has no API key. Add the key to auth.json.",
    ],
  ])("%j", async (input, error) => {
    expect(await choose({ env: bothKeys, ...input })).toEqual({ error: expect.stringContaining(error) } as never);
  });
});

describe("models of a local server are not in any list", () => {
  test.each([
    ["a session", { stored: { provider: "ollama", modelId: "qwen3:8b" } }],
    ["the settings", { settings: { defaultProvider: "ollama", defaultModel: "qwen3:8b" } }],
  ])("so %s is trusted", async (_name, input) => {
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
