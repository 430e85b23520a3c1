import type { Compat, Model } from "../model.ts";
import { findKnownProvider, type KnownProvider } from "../providers/known-providers.ts";
import { PRICE_LIST } from "./lists/source.ts";
import { type Figures, type ListedModel, listedModels } from "./model-lists.ts";
import { UNDESCRIBED } from "./undescribed.ts";

/**
 * A model and the source of its prices and context window. Output limits and thinking levels were entered by hand and
 * compared with the vendors' pages or models.dev on 2026-11-15; `unverified` names the ones that could not be compared.
 */
export interface CatalogueEntry {
  model: Model;
  source: string;
  date: string;
  unverified: readonly ("maxTokens" | "input" | "reasoning" | "thinkingLevelMap")[];
}

/** Newer than the price list; prices and context window come from the vendor's own page. */
const CLAUDE_DOCS = { source: "platform.claude.com/docs models overview, pricing", date: "2026-11-15" };
/** As published on that day; thinking levels from docs.cloud.google.com, cache prices compared with models.dev. */
const GEMINI_DOCS = { source: "ai.google.dev/gemini-api/docs pricing, models", date: "2026-10-07" };

/** The gateway charges the vendors' prices; figures are those of Anthropic's list. */
const VERCEL_DOCS = { source: "vercel.com/docs/ai-gateway pricing", date: "2026-09-23" };

/** Facts that models.dev states for Together and OpenCode Zen, as of its newest entry here. */
const MODELS_DEV = { source: "models.dev", date: "2026-09-23" };

const K = 1_000;
const M = 1_000_000;
/**
 * These vendors only limit input and output together. Requesting the whole limit would leave no space for the prompt.
 */
const SHARED_WINDOW = 65_536;

interface Row {
  id: string;
  name: string;
  output: number;
  images?: boolean;
  /** Present if the model thinks. Levels are named as in `thinkingLevelMap`. */
  thinking?: Model["thinkingLevelMap"];
  compat?: Compat;
  /** For models that are not in the price list. */
  from?: { source: string; date: string; figures: Figures };
  unverified?: CatalogueEntry["unverified"];
}

/** These models refuse a forced tool, see "What's new" of Fable 5.1, Opus 5.5 and Sonnet 5.5. */
const adaptiveUnforced: Compat = { adaptiveThinking: true, supportsToolChoice: false };
const alwaysThinking: Row["thinking"] = { off: "low", xhigh: "xhigh" };
const noneToXhigh: Row["thinking"] = { off: "none", minimal: null, xhigh: "xhigh" };
const lowToHigh: Row["thinking"] = { minimal: null };

/**
 * Providers whose models accept a response format in requests with tools, according to their guides to structured
 * outputs.
 */
const FORMAT_WITH_TOOLS: ReadonlySet<string> = new Set(["anthropic", "openai"]);

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
      from: { ...GEMINI_DOCS, figures: [0.75, 3.75, 0.075, 0, 1_048_576] }, // until the end of 2026, then doubled
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
  // Off-peak prices, which double from 01:00 to 04:00 and from 06:00 to 10:00 UTC.
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
  minimax: [
    {
      id: "MiniMax-M3",
      name: "MiniMax M3",
      output: SHARED_WINDOW,
      unverified: ["maxTokens", "reasoning"],
    },
  ],
  "vercel-ai-gateway": [
    {
      id: "anthropic/claude-sonnet-5",
      name: "Claude Sonnet 5",
      output: 128 * K,
      images: true,
      from: { ...VERCEL_DOCS, figures: [2, 10, 0.2, 2.5, M] },
    },
  ],
  together: [
    {
      id: "moonshotai/Kimi-K3",
      name: "Kimi K3",
      output: SHARED_WINDOW,
      images: true,
      from: { ...MODELS_DEV, figures: [3, 15, 0.3, 0, 1_048_576] },
      unverified: ["maxTokens", "reasoning"],
    },
    {
      id: "zai-org/GLM-5.3",
      name: "GLM-5.3",
      output: 131_072,
      from: { ...MODELS_DEV, figures: [1.4, 4.4, 0.26, 0, 1_048_575] },
      unverified: ["maxTokens", "reasoning"],
    },
    {
      id: "moonshotai/Kimi-K2.7-Code",
      name: "Kimi K2.7 Code",
      output: SHARED_WINDOW,
      from: { ...MODELS_DEV, figures: [0.95, 4, 0.19, 0, 262_144] },
      unverified: ["maxTokens", "reasoning"],
    },
  ],
  // Only models that its OpenAI-compatible endpoint serves. Claude, GPT and Gemini have endpoints of their own there.
  opencode: [
    {
      id: "kimi-k2.6",
      name: "Kimi K2.6",
      output: 65_536,
      images: true,
      from: { ...MODELS_DEV, figures: [0.95, 4, 0.16, 0, 262_144] },
      unverified: ["reasoning"],
    },
    {
      id: "glm-5.1",
      name: "GLM-5.1",
      output: 131_072,
      from: { ...MODELS_DEV, figures: [1.4, 4.4, 0.26, 0, 204_800] },
      unverified: ["reasoning"],
    },
    {
      id: "minimax-m3",
      name: "MiniMax M3",
      output: 128 * K,
      from: { ...MODELS_DEV, figures: [0.3, 1.2, 0.06, 0, 512 * K] },
      unverified: ["reasoning"],
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

/** Families that accept images, by the last part of the id. Others are assumed to read text only. */
const READS_IMAGES =
  /^(claude-|gpt-(4o|4\.1|5|6)|o[34]|gemini-|grok-4|kimi-k(2\.[5-9]|3)|kimi-k(2p[5-9]|3)|mistral-(small|medium|large)|llama-?4|gemma-[34]|.*-vl-)/;

const byProvider = new Map<string, readonly CatalogueEntry[]>();

/** Returns the models of a provider: those described by hand first, then the rest of the price list. */
export function catalogueOf(providerId: string): readonly CatalogueEntry[] {
  const entries = byProvider.get(providerId) ?? makeEntries(providerId);
  byProvider.set(providerId, entries);
  return entries;
}

function makeEntries(providerId: string): CatalogueEntry[] {
  const provider = findKnownProvider(providerId);
  if (!provider) return [];
  // Vendors capitalize some ids that the list spells in lower case.
  const listed = new Map(listedModels(providerId).map((model) => [model.id.toLowerCase(), model]));
  const described = (rows[providerId] ?? []).map((row) => {
    const price = listed.get(row.id.toLowerCase());
    listed.delete(row.id.toLowerCase());
    return describedEntry(provider, row, price);
  });
  return [...described, ...[...listed.values()].map((model) => listedEntry(provider, model))];
}

function describedEntry(provider: KnownProvider, row: Row, listed: ListedModel | undefined): CatalogueEntry {
  const { source, date, figures } = row.from ?? { ...PRICE_LIST, figures: listed?.figures };
  if (!figures) throw new Error(`The price list does not contain ${provider.id}/${row.id}`);
  const compat = FORMAT_WITH_TOOLS.has(provider.id) ? { ...row.compat, supportsOutputSchema: true } : row.compat;
  const model: Model = {
    ...modelOf(provider, row, figures),
    reasoning: row.thinking !== undefined,
    input: row.images ? ["text", "image"] : ["text"],
    maxTokens: row.output,
    ...(compat && { compat }),
    ...(row.thinking && Object.keys(row.thinking).length > 0 && { thinkingLevelMap: row.thinking }),
  };
  return { model, source, date, unverified: row.unverified ?? [] };
}

/**
 * Describes a model of which only the prices and the context window are known: it runs without thinking and with a
 * small output limit.
 */
function listedEntry(provider: KnownProvider, listed: ListedModel): CatalogueEntry {
  const readsImages = READS_IMAGES.test(listed.id.slice(listed.id.lastIndexOf("/") + 1).toLowerCase());
  const model: Model = {
    ...modelOf(provider, listed, listed.figures),
    reasoning: UNDESCRIBED.reasoning,
    input: readsImages ? ["text", "image"] : ["text"],
    maxTokens: UNDESCRIBED.maxTokens,
  };
  return { model, ...PRICE_LIST, unverified: ["maxTokens", "input", "reasoning"] };
}

function modelOf(
  provider: KnownProvider,
  { id, name }: { id: string; name: string },
  [input, output, cacheRead, cacheWrite, contextWindow]: Figures,
): Omit<Model, "reasoning" | "input" | "maxTokens"> {
  const { api, baseUrl } = provider;
  return {
    id,
    name,
    api,
    provider: provider.id,
    baseUrl,
    cost: { input, output, cacheRead, cacheWrite },
    contextWindow,
  };
}
