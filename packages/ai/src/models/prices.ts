// Written by scripts/renew-catalogue.mjs. Surcharges for long prompts or busy hours are left out: a model has one price.

export const PRICES = { source: "@pydantic/genai-prices 0.1.8", date: "2026-09-23" };

/** USD per million tokens. */
export type Figures = readonly [input: number, output: number, cacheRead: number, cacheWrite: number, window: number];

export const prices: Readonly<Record<string, Figures>> = {
  "anthropic/claude-opus-5-5": [4, 20, 0.2, 5, 1000000],
  "anthropic/claude-sonnet-5": [2, 10, 0.2, 2.5, 1000000],
  "anthropic/claude-fable-5-1": [10, 50, 0.25, 12.5, 1000000],
  "anthropic/claude-haiku-4-5": [1, 5, 0.1, 1.25, 200000],
  "openai/gpt-6-sol": [2, 10, 0.2, 2.5, 1050000],
  "openai/gpt-6-luna": [0.1, 0.5, 0.01, 0.125, 1050000],
  "openai/gpt-5.1": [1.25, 10, 0.125, 0, 400000],
  "deepseek/deepseek-v4-pro": [0.66, 1.98, 0.022, 0, 1000000],
  "deepseek/deepseek-v4-flash": [0.22, 0.66, 0.007, 0, 1000000],
  "xai/grok-4.6": [2, 6, 0.5, 0, 500000],
  "xai/grok-4.3": [1.25, 2.5, 0.2, 0, 1000000],
  "groq/openai/gpt-oss-120b": [0.15, 0.6, 0.075, 0, 131072],
  "groq/openai/gpt-oss-20b": [0.075, 0.3, 0.0375, 0, 131072],
  "mistral/mistral-medium-3-5": [1.5, 7.5, 0.15, 0, 262144],
  "mistral/mistral-large-2512": [0.5, 1.5, 0.05, 0, 262144],
  "openrouter/anthropic/claude-opus-5.5": [4, 20, 0.2, 5, 1000000],
  "openrouter/anthropic/claude-sonnet-5": [2, 10, 0.2, 2.5, 1000000],
  "openrouter/openai/gpt-6-sol": [2, 10, 0.2, 2.5, 1050000],
  "openrouter/moonshotai/kimi-k3": [3, 15, 0.3, 0, 1048576],
  "openrouter/z-ai/glm-5.3": [1.4, 4.4, 0.26, 0, 1048576],
  "moonshotai/kimi-k3": [3, 15, 0.3, 0, 1048576],
  "moonshotai/kimi-k2.7-code": [0.95, 4, 0.19, 0, 262144],
  "zai/glm-5.3": [1.4, 4.4, 0.26, 0, 1000000],
  "zai/glm-5.3-flash": [0.075, 0.25, 0.015, 0, 1000000],
};
