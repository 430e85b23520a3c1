import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { Check } from "typebox/schema";
import { catalogue, findKnownProvider, supportedThinkingLevels } from "../../src/index.ts";
import { ModelSchema } from "../../src/model.ts";
import { PRICES, prices } from "../../src/models/prices.ts";

const MODELS = join(import.meta.dir, "../../src/models");

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
      expect(cost.output).toBeWithin(cost.input, 200);
      expect(cost.cacheRead).toBeWithin(0, cost.input);
      if (cost.cacheWrite > 0) expect(cost.cacheWrite).toBeWithin(cost.input, cost.input * 2.5);
      expect(contextWindow).toBeWithin(100_000, 4_000_000);
      expect(maxTokens).toBeWithin(16_000, 500_000);
      expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    },
  );

  test("the price list has no row that nobody uses", () => {
    const listed = catalogue.filter(({ source }) => source === PRICES.source);
    expect(Object.keys(prices).sort()).toEqual(listed.map(({ model }) => `${model.provider}/${model.id}`).sort());
  });

  test("stays small: it is loaded at every start", () => {
    const sizes = ["catalogue.ts", "prices.ts"].map((name) => statSync(join(MODELS, name)).size);
    expect(sizes[0]).toBeLessThan(12 * 1024);
    expect(sizes[1]).toBeLessThan(4 * 1024);
  });
});
