import { describe, expect, test } from "bun:test";
import { type Model, offlineModel } from "@pintle/ai";
import { matchModel, resolveModelPattern, resolveModelScope } from "../../../src/config/models/model-pattern.ts";

function model(name: string, displayName?: string): Model {
  const [provider = "", ...id] = name.split("/");
  return { ...offlineModel, provider, id: id.join("/"), name: displayName ?? id.join("/") };
}

const models = [
  model("anthropic/claude-opus-4-20250514"),
  model("anthropic/claude-opus-4-5", "Claude Opus 4.5"),
  model("anthropic/claude-opus-4-5-20251101"),
  model("anthropic/claude-sonnet-3-20240229"),
  model("anthropic/claude-sonnet-3-20241022"),
  model("openai/gpt-6"),
  model("openai/gpt-6-mini"),
  model("groq/openai/gpt-oss-120b"),
  model("groq/shared"),
  model("cerebras/shared"),
  model("openrouter/anthropic/claude-opus-4.5"),
  model("openrouter/openai/gpt-6"),
  model("ollama/qwen3-coder:30b"),
  model("ollama/odd:high"),
];

const full = ({ provider, id }: Model) => `${provider}/${id}`;

describe("one pattern, one model", () => {
  test.each([
    ["provider and id", "openai/gpt-6", "openai/gpt-6"],
    ["in any case", "OpenAI/GPT-6", "openai/gpt-6"],
    ["a provider before the slash is stronger than an id with a slash", "openai/gpt-6", "openai/gpt-6"],
    ["an id with a slash, if that provider does not have it", "openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"],
    ["an id whose first part is a provider", "anthropic/claude-opus-4.5", "openrouter/anthropic/claude-opus-4.5"],
    ["all three parts", "openrouter/openai/gpt-6", "openrouter/openai/gpt-6"],
    ["a bare id", "gpt-6-mini", "openai/gpt-6-mini"],
    ["a bare id that is part of others", "gpt-6", "openai/gpt-6"],
    ["a part of an id: names without a date first", "opus-4-5", "anthropic/claude-opus-4-5"],
    ["a part of a name", "opus 4.5", "anthropic/claude-opus-4-5"],
    ["only dated ones: the newest", "sonnet", "anthropic/claude-sonnet-3-20241022"],
    ["the highest of several", "claude-opus", "anthropic/claude-opus-4-5"],
    ["a part within a provider", "openai/mini", "openai/gpt-6-mini"],
    ["an id with a colon", "qwen3-coder:30b", "ollama/qwen3-coder:30b"],
    ["nothing", "llama", undefined],
    ["a provider alone", "openai/", undefined],
    ["the empty pattern", "", undefined],
  ])("%s: %p", (_name, pattern, expected) => {
    const found = matchModel(pattern, { models });
    expect(found && full(found)).toBe(expected);
  });

  test("if several models have the id, the usable one wins, otherwise the first", () => {
    const usable = (provider: string) => (candidate: Model) => candidate.provider === provider;
    expect(full(matchModel("shared", { models, isUsable: usable("cerebras") }) as Model)).toBe("cerebras/shared");
    expect(full(matchModel("shared", { models, isUsable: usable("openai") }) as Model)).toBe("groq/shared");
    expect(full(matchModel("shared", { models }) as Model)).toBe("groq/shared");
  });

  test("prefers a usable model among similar ones", () => {
    const isUsable = ({ provider }: Model) => provider === "openrouter";
    expect(full(matchModel("opus", { models, isUsable }) as Model)).toBe("openrouter/anthropic/claude-opus-4.5");
  });

  test("-latest is an alias; other date formats are dates", () => {
    const dated = [model("a/m-2026-01-02"), model("a/m-latest"), model("a/m-20260103")];
    expect(full(matchModel("m", { models: dated }) as Model)).toBe("a/m-latest");
    expect(full(matchModel("m-2", { models: dated }) as Model)).toBe("a/m-20260103");
  });
});

describe("--model", () => {
  const find = (name: string) => models.find((candidate) => full(candidate) === name) as Model;

  test.each([
    ["gpt-6:high", { model: find("openai/gpt-6"), thinkingLevel: "high" }],
    ["openai/gpt-6:off", { model: find("openai/gpt-6"), thinkingLevel: "off" }],
    ["odd:high", { model: find("ollama/odd:high") }],
    ["odd:high:low", { model: find("ollama/odd:high"), thinkingLevel: "low" }],
    ["qwen3-coder:30b:high", { model: find("ollama/qwen3-coder:30b"), thinkingLevel: "high" }],
    [
      "gpt-6:hihg",
      {
        error:
          '"hihg" in "gpt-6:hihg" is not a thinking level (off, minimal, low, medium, high, xhigh, max, auto). See --list-models for ids that contain a colon.',
      },
    ],
    ["no-such:high", { error: 'No model matches "no-such:high". See --list-models.' }],
    ["no-such", { error: 'No model matches "no-such". See --list-models.' }],
  ] as const)("%s", (pattern, expected) => {
    expect(resolveModelPattern(pattern, { models })).toEqual(expected as never);
  });

  describe("with --provider tries unlisted models", () => {
    const ollama = models.filter(({ provider }) => provider === "ollama");
    const template = find("ollama/odd:high");
    const unlisted = (id: string) => ({
      model: { ...template, id, name: id },
      warning: `Model "${id}" is not listed for ollama: using it as a custom model id, with assumed limits and prices.`,
    });
    test.each([
      ["qwen3-coder", { model: find("ollama/qwen3-coder:30b") }],
      ["ollama/qwen3-coder:30b", { model: find("ollama/qwen3-coder:30b") }],
      ["llama:8b", unlisted("llama:8b")],
      ["llama:8b:high", { ...unlisted("llama:8b"), thinkingLevel: "high" }],
      ["qwen3-coder:480b", unlisted("qwen3-coder:480b")],
    ] as const)("%s", (pattern, expected) => {
      expect(resolveModelPattern(pattern, { models: ollama, template })).toEqual(expected as never);
    });
  });
});

describe("--models", () => {
  test.each([
    [
      "patterns in their order",
      ["gpt-6-mini", "opus-4-5:high"],
      ["openai/gpt-6-mini", "anthropic/claude-opus-4-5 high"],
      [],
    ],
    ["a glob of ids", ["gpt-*"], ["openai/gpt-6", "openai/gpt-6-mini"], []],
    [
      "a glob of provider and id spans slashes",
      ["openrouter/*"],
      ["openrouter/anthropic/claude-opus-4.5", "openrouter/openai/gpt-6"],
      [],
    ],
    [
      "a glob with a level",
      ["anthropic/*sonnet*:low"],
      ["anthropic/claude-sonnet-3-20240229 low", "anthropic/claude-sonnet-3-20241022 low"],
      [],
    ],
    [
      "in a glob both readings do",
      ["openai/gpt-6*"],
      ["openai/gpt-6", "openai/gpt-6-mini", "openrouter/openai/gpt-6"],
      [],
    ],
    ["one character", ["gpt-?"], ["openai/gpt-6"], []],
    [
      "a set",
      ["claude-sonnet-3-2024[01]*"],
      ["anthropic/claude-sonnet-3-20240229", "anthropic/claude-sonnet-3-20241022"],
      [],
    ],
    ["a negated set", ["claude-sonnet-3-2024[!1]*"], ["anthropic/claude-sonnet-3-20240229"], []],
    ["in any case", ["GPT-6*"], ["openai/gpt-6", "openai/gpt-6-mini"], []],
    [
      "no model twice; the first level counts",
      ["gpt-6:low", "gpt-6*:high"],
      ["openai/gpt-6 low", "openai/gpt-6-mini high"],
      [],
    ],
    ["spaces and empty parts", [" gpt-6 ", ""], ["openai/gpt-6"], []],
    [
      "a wrong level is dropped with a warning",
      ["gpt-6:hihg"],
      ["openai/gpt-6"],
      [
        '"hihg" in "gpt-6:hihg" is not a thinking level (off, minimal, low, medium, high, xhigh, max, auto); it is ignored',
      ],
    ],
    [
      "what matches nothing is a warning",
      ["nope-*", "gpt-6"],
      ["openai/gpt-6"],
      ['No model matches "nope-*". See --list-models.'],
    ],
    ["a set that is none", ["gpt-[z-a]"], [], ['No model matches "gpt-[z-a]". See --list-models.']],
    ["a dot is a dot", ["claude-opus-4.*"], [], ['No model matches "claude-opus-4.*". See --list-models.']],
  ] as [string, string[], string[], string[]][])("%s", (_name, patterns, expected, warnings) => {
    const scope = resolveModelScope(patterns, { models });
    expect(
      scope.choices.map(({ model, thinkingLevel }) => [full(model), thinkingLevel].filter(Boolean).join(" ")),
    ).toEqual(expected);
    expect(scope.warnings).toEqual(warnings);
  });
});
