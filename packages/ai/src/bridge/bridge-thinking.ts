import type { Model } from "../model.ts";
import type { RequestOptions } from "../protocols/protocol.ts";
import { clampThinkingLevel, type ThinkingLevel } from "../thinking.ts";
import type { ProviderOptions } from "./bridge-prompt.ts";
import type { LanguageModel } from "./language-model.ts";

const BUDGETS: Record<ThinkingLevel, number> = {
  off: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};
const SMALLEST_BUDGET = 1024;
/** Tokens to reserve for the answer itself. */
const SMALLEST_OUTPUT = 1024;

interface Effort {
  word: string;
  budget: number;
}

/** Vendor-specific thinking options, for packages older than the SDK's common one. The first match wins. */
const VENDORS: readonly (readonly [RegExp, (effort: Effort) => ProviderOptions])[] = [
  [/anthropic/, ({ budget }) => ({ anthropic: { thinking: { type: "enabled", budgetTokens: budget } } })],
  [/bedrock/, ({ budget }) => ({ bedrock: { reasoningConfig: { type: "enabled", budgetTokens: budget } } })],
  [
    /google|vertex/,
    ({ budget }) => ({ google: { thinkingConfig: { includeThoughts: true, thinkingBudget: budget } } }),
  ],
  [/openai|azure/, ({ word }) => ({ openai: { reasoningEffort: word, reasoningSummary: "auto" } })],
];

export interface BridgeThinking {
  maxOutputTokens: number;
  reasoning?: string;
  providerOptions?: ProviderOptions;
}

/** Packages for Claude add the thinking budget to the requested output, so both have to fit. */
export function planThinking(
  model: Model,
  { specificationVersion, provider }: Pick<LanguageModel, "specificationVersion" | "provider">,
  options: RequestOptions,
): BridgeThinking {
  const maxOutputTokens = Math.max(1, Math.min(options.maxTokens ?? model.maxTokens, model.maxTokens));
  if (!model.reasoning) return { maxOutputTokens };
  const level = clampThinkingLevel(options.thinkingLevel ?? "off", model);
  const word = model.thinkingLevelMap?.[level] ?? (level === "off" ? "none" : level);
  // Since version 4 of the interface, one option covers all vendors.
  const isUniform = specificationVersion === "v4";
  const wanted = options.thinkingBudgets?.[level] ?? BUDGETS[level];
  const budget = Math.min(wanted, model.maxTokens - SMALLEST_OUTPUT);
  if (level === "off" || budget < SMALLEST_BUDGET) return { maxOutputTokens, ...(isUniform && { reasoning: "none" }) };
  const isAdded = /anthropic|bedrock/.test(provider);
  const output = isAdded ? Math.min(maxOutputTokens, model.maxTokens - budget) : maxOutputTokens;
  if (isUniform) return { maxOutputTokens: output, reasoning: word };
  const [, toOptions] = VENDORS.find(([pattern]) => pattern.test(provider)) ?? [];
  const vendor = provider.split(".")[0] ?? provider;
  return {
    maxOutputTokens: output,
    providerOptions: toOptions?.({ word, budget }) ?? { [vendor]: { reasoningEffort: word } },
  };
}
