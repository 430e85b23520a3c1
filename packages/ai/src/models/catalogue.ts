import type { Compat, Model } from "../model.ts";
import { findKnownProvider } from "../providers/known-providers.ts";
import { type Figures, PRICES, prices } from "./prices.ts";

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
  output: number;
  images?: boolean;
  /** Present: the model thinks. Words for levels as in `thinkingLevelMap`. */
  thinking?: Model["thinkingLevelMap"];
  compat?: Compat;
  /** For models that the price list does not know. */
  from?: { source: string; date: string; figures: Figures };
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
      output: 128 * K,
      images: true,
      thinking: alwaysThinking,
      compat: adaptiveUnforced,
    },
    {
      id: "claude-sonnet-5-5",
      name: "Claude Sonnet 5.5",
      output: 128 * K,
      images: true,
      thinking: { off: "between_tools", xhigh: "xhigh" },
      compat: adaptiveUnforced,
      from: { ...CLAUDE_DOCS, figures: [2, 10, 0.1, 2.5, M] },
    },
    {
      id: "claude-sonnet-5",
      name: "Claude Sonnet 5",
      output: 128 * K,
      images: true,
      thinking: { off: "disabled", xhigh: "xhigh" },
      compat: { adaptiveThinking: true },
    },
    {
      id: "claude-fable-5-1",
      name: "Claude Fable 5.1",
      output: 128 * K,
      images: true,
      thinking: alwaysThinking,
      compat: adaptiveUnforced,
    },
    {
      id: "claude-haiku-4-5",
      name: "Claude Haiku 4.5",
      output: 64 * K,
      images: true,
      thinking: {},
    },
  ],
  openai: [
    {
      id: "gpt-6-sol",
      name: "GPT-6 Sol",
      output: 128 * K,
      images: true,
      thinking: noneToXhigh,
    },
    {
      id: "gpt-6-luna",
      name: "GPT-6 Luna",
      output: 128 * K,
      images: true,
      thinking: noneToXhigh,
    },
    {
      id: "gpt-5.1",
      name: "GPT-5.1",
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
      output: 65_536,
      images: true,
      thinking: { off: "LOW", minimal: null },
      from: { ...GEMINI_DOCS, figures: [0.75, 3.75, 0.075, 0, 1_048_576] }, // until the end of 2026, then twice as much
    },
    {
      id: "gemini-3.1-pro-preview",
      name: "Gemini 3.1 Pro Preview",
      output: 65_536,
      images: true,
      thinking: { off: "LOW", minimal: null, medium: "MEDIUM" },
      from: { ...GEMINI_DOCS, figures: [2, 12, 0.2, 0, 1_048_576] },
    },
    {
      id: "gemini-3.5-flash-lite",
      name: "Gemini 3.5 Flash-Lite",
      output: 65_536,
      images: true,
      thinking: {},
      from: { ...GEMINI_DOCS, figures: [0.3, 2.5, 0.03, 0, 1_048_576] },
    },
  ],
  // Off-peak prices; between 1 and 4 and between 6 and 10 o'clock UTC they are doubled.
  deepseek: [
    {
      id: "deepseek-v4-pro",
      name: "DeepSeek V4 Pro",
      output: 384 * K,
      thinking: { minimal: "low", xhigh: "max" },
    },
    {
      id: "deepseek-v4-flash",
      name: "DeepSeek V4 Flash",
      output: 384 * K,
      thinking: { minimal: "low", xhigh: "max" },
    },
  ],
  xai: [
    {
      id: "grok-4.6",
      name: "Grok 4.6",
      output: SHARED_WINDOW,
      images: true,
      thinking: lowToHigh,
    },
    {
      id: "grok-4.3",
      name: "Grok 4.3",
      output: 30 * K,
      images: true,
      thinking: { off: "none", minimal: null, xhigh: "xhigh" },
    },
  ],
  groq: [
    {
      id: "openai/gpt-oss-120b",
      name: "GPT OSS 120B",
      output: 65_536,
      thinking: lowToHigh,
    },
    {
      id: "openai/gpt-oss-20b",
      name: "GPT OSS 20B",
      output: 65_536,
      thinking: lowToHigh,
    },
  ],
  mistral: [
    {
      id: "mistral-medium-3-5",
      name: "Mistral Medium 3.5",
      output: SHARED_WINDOW,
      images: true,
      thinking: { off: "none", minimal: null, low: null, medium: null },
    },
    {
      id: "mistral-large-2512",
      name: "Mistral Large 3",
      output: SHARED_WINDOW,
      images: true,
    },
  ],
  openrouter: [
    {
      id: "anthropic/claude-opus-5.5",
      name: "Claude Opus 5.5",
      output: 128 * K,
      images: true,
      thinking: alwaysThinking,
      compat: { supportsToolChoice: false },
    },
    {
      id: "anthropic/claude-sonnet-5",
      name: "Claude Sonnet 5",
      output: 128 * K,
      images: true,
      thinking: { xhigh: "xhigh" },
    },
    {
      id: "openai/gpt-6-sol",
      name: "GPT-6 Sol",
      output: 128 * K,
      images: true,
      thinking: { minimal: null, xhigh: "xhigh" },
      unverified: ["thinkingLevelMap"],
    },
    {
      id: "moonshotai/kimi-k3",
      name: "Kimi K3",
      output: SHARED_WINDOW,
      images: true,
      thinking: { off: "low", minimal: null, medium: null, xhigh: "max" },
      unverified: ["thinkingLevelMap"],
    },
    {
      id: "z-ai/glm-5.3",
      name: "GLM-5.3",
      output: 131_072,
      thinking: { minimal: null, medium: null, xhigh: "max" },
      unverified: ["maxTokens", "thinkingLevelMap"],
    },
  ],
  moonshotai: [
    {
      id: "kimi-k3",
      name: "Kimi K3",
      output: SHARED_WINDOW,
      images: true,
      thinking: { off: "low", minimal: null, medium: null, xhigh: "max" },
      compat: { supportsReasoningEffort: true, requiresReasoningContentOnAssistantMessages: true },
    },
    {
      id: "kimi-k2.7-code",
      name: "Kimi K2.7 Code",
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
      output: 131_072,
      thinking: {},
    },
    {
      id: "glm-5.3-flash",
      name: "GLM-5.3-Flash",
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
  const { source, date, figures } = row.from ?? { ...PRICES, figures: prices[`${providerId}/${row.id}`] };
  if (!figures) throw new Error(`The price list lacks ${providerId}/${row.id}`);
  const [input, output, cacheRead, cacheWrite, contextWindow] = figures;
  const model: Model = {
    id: row.id,
    name: row.name,
    api: provider.api,
    provider: provider.id,
    baseUrl: provider.baseUrl,
    reasoning: row.thinking !== undefined,
    input: row.images ? ["text", "image"] : ["text"],
    cost: { input, output, cacheRead, cacheWrite },
    contextWindow,
    maxTokens: row.output,
    ...(row.compat && { compat: row.compat }),
    ...(row.thinking && Object.keys(row.thinking).length > 0 && { thinkingLevelMap: row.thinking }),
  };
  return { model, source, date, unverified: row.unverified ?? [] };
}
