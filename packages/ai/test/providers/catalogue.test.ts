import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { Check } from "typebox/schema";
import { catalogue, findKnownProvider, supportedThinkingLevels } from "../../src/index.ts";
import { ModelSchema } from "../../src/model.ts";

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

  test("stays small: it is loaded at every start", () => {
    expect(statSync(join(import.meta.dir, "../../src/models/catalogue.ts")).size).toBeLessThan(12 * 1024);
  });
});
