import type { Compat, Model } from "../model.ts";
import { findKnownProvider } from "../providers/known-providers.ts";

/**
 * A model together with where its prices and window come from. Output limits and thinking words were entered by hand and
 * compared with the vendors' pages or models.dev on 2026-11-15; `unverified` names those that could not be.
 */
export interface CatalogueEntry {
  model: Model;
  source: string;
  date: string;
  unverified: readonly ("maxTokens" | "reasoning" | "thinkingLevelMap")[];
}

/** Ids, prices and windows: npm package of that version. Long-context surcharges are left out: a model has one price. */
const PRICES = { source: "@pydantic/genai-prices 0.1.8", date: "2026-09-23" };
/** Newer than the price list; prices and window from the vendor's own page. */
const CLAUDE_DOCS = { source: "platform.claude.com/docs models overview, pricing", date: "2026-11-15" };
/** As quoted on that day; thinking levels from docs.cloud.google.com, cache prices compared with models.dev. */
const GEMINI_DOCS = { source: "ai.google.dev/gemini-api/docs pricing, models", date: "2026-10-07" };

const K = 1_000;
const M = 1_000_000;
/** These vendors bound only input and output together. Asking for all of it would leave no room for the prompt. */
const SHARED_WINDOW = 65_536;

interface Row {
  id: string;
  name: string;
  /** USD per million tokens: input, output, cache read, cache write. */
  price: [input: number, output: number, cacheRead: number, cacheWrite?: number];
  window: number;
  output: number;
  images?: boolean;
  /** Present: the model thinks. Words for levels as in `thinkingLevelMap`. */
  thinking?: Model["thinkingLevelMap"];
  compat?: Compat;
  from?: { source: string; date: string };
  unverified?: CatalogueEntry["unverified"];
}

/** A forced tool is refused by these models, see "What's new" of Fable 5.1, Opus 5.5 and Sonnet 5.5. */
const adaptiveUnforced: Compat = { adaptiveThinking: true, supportsToolChoice: false };
const alwaysThinking: Row["thinking"] = { off: "low", xhigh: "xhigh" };
const noneToXhigh: Row["thinking"] = { off: "none", minimal: null, xhigh: "xhigh" };
const lowToHigh: Row["thinking"] = { minimal: null };

const rows: Record<string, Row[]> = {
  anthropic: [
    {
      id: "claude-opus-5-5",
      name: "Claude Opus 5.5",
      price: [4, 20, 0.2, 5],
      window: M,
      output: 128 * K,
      images: true,
      thinking: alwaysThinking,
      compat: adaptiveUnforced,
    },
    {
      id: "claude-sonnet-5-5",
      name: "Claude Sonnet 5.5",
      price: [2, 10, 0.1, 2.5],
      window: M,
      output: 128 * K,
      images: true,
      thinking: { off: "between_tools", xhigh: "xhigh" },
      compat: adaptiveUnforced,
      from: CLAUDE_DOCS,
    },
    {
      id: "claude-sonnet-5",
      name: "Claude Sonnet 5",
      price: [2, 10, 0.2, 2.5],
      window: M,
      output: 128 * K,
      images: true,
      thinking: { off: "disabled", xhigh: "xhigh" },
      compat: { adaptiveThinking: true },
    },
    {
      id: "claude-fable-5-1",
      name: "Claude Fable 5.1",
      price: [10, 50, 0.25, 12.5],
      window: M,
      output: 128 * K,
      images: true,
      thinking: alwaysThinking,
      compat: adaptiveUnforced,
    },
    {
      id: "claude-haiku-4-5",
      name: "Claude Haiku 4.5",
      price: [1, 5, 0.1, 1.25],
      window: 200 * K,
      output: 64 * K,
      images: true,
      thinking: {},
    },
  ],
  openai: [
    {
      id: "gpt-6-sol",
      name: "GPT-6 Sol",
      price: [2, 10, 0.2, 2.5],
      window: 1_050 * K,
      output: 128 * K,
      images: true,
      thinking: noneToXhigh,
    },
    {
      id: "gpt-6-luna",
      name: "GPT-6 Luna",
      price: [0.1, 0.5, 0.01, 0.125],
      window: 1_050 * K,
      output: 128 * K,
      images: true,
      thinking: noneToXhigh,
    },
    {
      id: "gpt-5.1",
      name: "GPT-5.1",
      price: [1.25, 10, 0.125],
      window: 400 * K,
      output: 128 * K,
      images: true,
      thinking: { off: "none", minimal: null },
      unverified: ["maxTokens"],
    },
  ],
  google: [
    {
      id: "gemini-3.8-flash",
      name: "Gemini 3.8 Flash",
      price: [0.75, 3.75, 0.075], // until the end of 2026, then twice as much
      window: 1_048_576,
      output: 65_536,
      images: true,
      thinking: { off: "LOW", minimal: null },
      from: GEMINI_DOCS,
    },
    {
      id: "gemini-3.1-pro-preview",
      name: "Gemini 3.1 Pro Preview",
      price: [2, 12, 0.2],
      window: 1_048_576,
      output: 65_536,
      images: true,
      thinking: { off: "LOW", minimal: null, medium: "MEDIUM" },
      from: GEMINI_DOCS,
    },
    {
      id: "gemini-3.5-flash-lite",
      name: "Gemini 3.5 Flash-Lite",
      price: [0.3, 2.5, 0.03],
      window: 1_048_576,
      output: 65_536,
      images: true,
      thinking: {},
      from: GEMINI_DOCS,
    },
  ],
  // Off-peak prices; between 1 and 4 and between 6 and 10 o'clock UTC they are doubled.
  deepseek: [
    {
      id: "deepseek-v4-pro",
      name: "DeepSeek V4 Pro",
      price: [0.66, 1.98, 0.022],
      window: M,
      output: 384 * K,
      thinking: { minimal: "low", xhigh: "max" },
    },
    {
      id: "deepseek-v4-flash",
      name: "DeepSeek V4 Flash",
      price: [0.22, 0.66, 0.007],
      window: M,
      output: 384 * K,
      thinking: { minimal: "low", xhigh: "max" },
    },
  ],
  xai: [
    {
      id: "grok-4.6",
      name: "Grok 4.6",
      price: [2, 6, 0.5],
      window: 500 * K,
      output: SHARED_WINDOW,
      images: true,
      thinking: lowToHigh,
    },
    {
      id: "grok-4.3",
      name: "Grok 4.3",
      price: [1.25, 2.5, 0.2],
      window: M,
      output: 30 * K,
      images: true,
      thinking: { off: "none", minimal: null, xhigh: "xhigh" },
    },
  ],
  groq: [
    {
      id: "openai/gpt-oss-120b",
      name: "GPT OSS 120B",
      price: [0.15, 0.6, 0.075],
      window: 131_072,
      output: 65_536,
      thinking: lowToHigh,
    },
    {
      id: "openai/gpt-oss-20b",
      name: "GPT OSS 20B",
      price: [0.075, 0.3, 0.0375],
      window: 131_072,
      output: 65_536,
      thinking: lowToHigh,
    },
  ],
  mistral: [
    {
      id: "mistral-medium-3-5",
      name: "Mistral Medium 3.5",
      price: [1.5, 7.5, 0.15],
      window: 262_144,
      output: SHARED_WINDOW,
      images: true,
      thinking: { off: "none", minimal: null, low: null, medium: null },
    },
    {
      id: "mistral-large-2512",
      name: "Mistral Large 3",
      price: [0.5, 1.5, 0.05],
      window: 262_144,
      output: SHARED_WINDOW,
      images: true,
    },
  ],
  openrouter: [
    {
      id: "anthropic/claude-opus-5.5",
      name: "Claude Opus 5.5",
      price: [4, 20, 0.2, 5],
      window: M,
      output: 128 * K,
      images: true,
      thinking: alwaysThinking,
      compat: { supportsToolChoice: false },
    },
    {
      id: "anthropic/claude-sonnet-5",
      name: "Claude Sonnet 5",
      price: [2, 10, 0.2, 2.5],
      window: M,
      output: 128 * K,
      images: true,
      thinking: { xhigh: "xhigh" },
    },
    {
      id: "openai/gpt-6-sol",
      name: "GPT-6 Sol",
      price: [2, 10, 0.2, 2.5],
      window: 1_050 * K,
      output: 128 * K,
      images: true,
      thinking: { minimal: null, xhigh: "xhigh" },
      unverified: ["thinkingLevelMap"],
    },
    {
      id: "moonshotai/kimi-k3",
      name: "Kimi K3",
      price: [3, 15, 0.3],
      window: 1_048_576,
      output: SHARED_WINDOW,
      images: true,
      thinking: { off: "low", minimal: null, medium: null, xhigh: "max" },
      unverified: ["thinkingLevelMap"],
    },
    {
      id: "z-ai/glm-5.3",
      name: "GLM-5.3",
      price: [1.4, 4.4, 0.26],
      window: 1_048_576,
      output: 131_072,
      thinking: { minimal: null, medium: null, xhigh: "max" },
      unverified: ["maxTokens", "thinkingLevelMap"],
    },
  ],
  moonshotai: [
    {
      id: "kimi-k3",
      name: "Kimi K3",
      price: [3, 15, 0.3],
      window: 1_048_576,
      output: SHARED_WINDOW,
      images: true,
      thinking: { off: "low", minimal: null, medium: null, xhigh: "max" },
      compat: { supportsReasoningEffort: true, requiresReasoningContentOnAssistantMessages: true },
    },
    {
      id: "kimi-k2.7-code",
      name: "Kimi K2.7 Code",
      price: [0.95, 4, 0.19],
      window: 262_144,
      output: SHARED_WINDOW,
      images: true,
      thinking: {},
      compat: { requiresReasoningContentOnAssistantMessages: true },
    },
  ],
  zai: [
    {
      id: "glm-5.3",
      name: "GLM-5.3",
      price: [1.4, 4.4, 0.26],
      window: M,
      output: 131_072,
      thinking: {},
    },
    {
      id: "glm-5.3-flash",
      name: "GLM-5.3-Flash",
      price: [0.075, 0.25, 0.015],
      window: M,
      output: 131_072,
      images: true,
      thinking: {},
    },
  ],
};

export const catalogue: readonly CatalogueEntry[] = Object.entries(rows).flatMap(([provider, models]) =>
  models.map((row) => toEntry(provider, row)),
);

function toEntry(providerId: string, row: Row): CatalogueEntry {
  const provider = findKnownProvider(providerId);
  if (!provider) throw new Error(`The catalogue names an unknown provider: ${providerId}`);
  const [input, output, cacheRead, cacheWrite = 0] = row.price;
  const model: Model = {
    id: row.id,
    name: row.name,
    api: provider.api,
    provider: provider.id,
    baseUrl: provider.baseUrl,
    reasoning: row.thinking !== undefined,
    input: row.images ? ["text", "image"] : ["text"],
    cost: { input, output, cacheRead, cacheWrite },
    contextWindow: row.window,
    maxTokens: row.output,
    ...(row.compat && { compat: row.compat }),
    ...(row.thinking && Object.keys(row.thinking).length > 0 && { thinkingLevelMap: row.thinking }),
  };
  return { model, ...(row.from ?? PRICES), unverified: row.unverified ?? [] };
}
