import { describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Check } from "typebox/schema";
import { catalogueOf, findKnownProvider, knownProviders, supportedThinkingLevels } from "../../src/index.ts";
import { ModelSchema } from "../../src/model.ts";

const MODELS = join(import.meta.dir, "../../src/models");
const catalogue = knownProviders.flatMap(({ id }) => catalogueOf(id));

describe("model catalogue", () => {
  test.each(catalogue.map((entry) => [`${entry.model.provider}/${entry.model.id}`, entry] as const))(
    "%s is a complete model with a source",
    (_name, { model, source, date }) => {
      expect(Check(ModelSchema, model)).toBe(true);
      expect(model).toMatchObject({
        api: findKnownProvider(model.provider)?.api,
        baseUrl: findKnownProvider(model.provider)?.baseUrl,
      });
      expect(model.maxTokens).toBeLessThan(model.contextWindow);
      expect(source).not.toBe("");
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    },
  );

  test("no model is listed twice", () => {
    const names = catalogue.map(({ model }) => `${model.provider}/${model.id}`);
    expect(names).toEqual([...new Set(names)]);
  });

  test("the levels offered are those the vendors document", () => {
    const levels = Object.fromEntries(
      catalogue.map(({ model }) => [`${model.provider}/${model.id}`, supportedThinkingLevels(model).join(" ")]),
    );
    expect(levels).toMatchObject({
      "anthropic/claude-opus-5-5": "off minimal low medium high xhigh",
      "anthropic/claude-haiku-4-5": "off minimal low medium high",
      "openai/gpt-6-sol": "off low medium high xhigh",
      "openai/gpt-6-luna": "off low medium high xhigh",
      "openai/gpt-5.1": "off low medium high",
      "google/gemini-3.8-flash": "off low medium high",
      "google/gemini-3.1-pro-preview": "off low medium high",
      "google/gemini-3.5-flash-lite": "off minimal low medium high",
      "xai/grok-4.3": "off low medium high xhigh",
      "mistral/mistral-medium-3-5": "off high",
      "mistral/mistral-large-2512": "off",
      "moonshotai/kimi-k3": "off low high xhigh",
    });
  });

  test.each(catalogue.map((entry) => [`${entry.model.provider}/${entry.model.id}`, entry] as const))(
    "the figures of %s are plausible",
    (_name, { model: { cost, contextWindow, maxTokens }, date }) => {
      expect(cost.input).toBeGreaterThan(0);
      expect(cost.output).toBeWithin(cost.input, 601);
      expect(cost.cacheRead).toBeWithin(0, cost.input);
      expect(cost.cacheWrite).toBeWithin(0, cost.input * 2.5);
      expect(contextWindow).toBeWithin(64_000, 4_000_001);
      expect(maxTokens).toBeWithin(16_000, 500_000);
      expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    },
  );

  test.each([
    ["anthropic", 12],
    ["openai", 25],
    ["google", 8],
    ["openrouter", 120],
    ["mistral", 8],
    ["fireworks", 20],
    ["huggingface", 100],
    ["together", 3],
    ["opencode", 3],
  ])("%s offers at least %d models", (provider, least) => {
    expect(catalogueOf(provider).length).toBeGreaterThanOrEqual(least);
  });

  test("a model described by hand replaces the row of the list, whatever its case", () => {
    const ids = catalogueOf("minimax").map(({ model }) => model.id);
    expect(ids.filter((id) => id.toLowerCase() === "minimax-m3")).toEqual(["MiniMax-M3"]);
  });

  test("a model that is only listed has a price and a window, and is called without thinking", () => {
    const entry = catalogueOf("openai").find(({ model }) => model.id === "gpt-5.4");
    expect(entry).toMatchObject({
      model: { reasoning: false, input: ["text", "image"], contextWindow: 1_050_000, cost: { input: 2.5, output: 15 } },
      source: "@pydantic/genai-prices 0.1.8",
      unverified: ["maxTokens", "input", "reasoning"],
    });
  });

  test("an unknown provider has no models", () => {
    expect(catalogueOf("nowhere")).toEqual([]);
  });

  test("stays small, because it is part of every program", () => {
    const lists = readdirSync(join(MODELS, "lists")).map((name) => statSync(join(MODELS, "lists", name)).size);
    expect(statSync(join(MODELS, "catalogue.ts")).size).toBeLessThan(14 * 1024);
    expect(lists.reduce((sum, size) => sum + size, 0)).toBeLessThan(32 * 1024);
  });
});
