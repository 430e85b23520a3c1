import type Anthropic from "@anthropic-ai/sdk";
import type { Model } from "../../model.ts";
import { clampThinkingLevel, type ThinkingLevel } from "../../thinking.ts";
import type { RequestOptions } from "../protocol.ts";

type ActiveLevel = Exclude<ThinkingLevel, "off">;
type Effort = NonNullable<Anthropic.OutputConfig["effort"]>;
type OutputPlan = Pick<Anthropic.MessageCreateParamsStreaming, "max_tokens" | "thinking" | "output_config">;

const BUDGETS: Record<ActiveLevel, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};
const EFFORTS: Record<ActiveLevel, Effort> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

const SMALLEST_BUDGET = 1024;
const SMALLEST_OUTPUT = 1024;

/**
 * Models differ in how thinking is turned off; `thinkingLevelMap.off` names the type if omitting the field is not
 * enough.
 */
const OFF_TYPES = ["disabled", "between_tools"] as const;

/** How deeply the model thinks, and how many tokens thinking and answer may use together. */
export function planOutput(model: Model, options: RequestOptions, { mayThink }: { mayThink: boolean }): OutputPlan {
  const level = mayThink ? clampThinkingLevel(options.thinkingLevel ?? "off", model) : "off";
  const output = Math.max(1, Math.min(options.maxTokens ?? model.maxTokens, model.maxTokens));
  const word = model.reasoning ? (model.thinkingLevelMap?.[level] ?? undefined) : undefined;
  if (level === "off") return { max_tokens: output, ...withoutThinking(model, word) };

  const budget = budgetOf(level, word, options);
  const maxTokens = Math.min(output + budget, model.maxTokens);
  if (model.compat?.adaptiveThinking) return { max_tokens: maxTokens, ...adaptive(word ?? EFFORTS[level]) };
  const fitting = Math.min(budget, maxTokens - SMALLEST_OUTPUT);
  if (fitting < SMALLEST_BUDGET) return { max_tokens: output };
  return { max_tokens: maxTokens, thinking: { type: "enabled", budget_tokens: fitting } };
}

function budgetOf(level: ActiveLevel, word: string | undefined, options: RequestOptions): number {
  const mapped = word === undefined ? Number.NaN : Number(word);
  const wanted = Number.isFinite(mapped) ? mapped : (options.thinkingBudgets?.[level] ?? BUDGETS[level]);
  return Math.max(SMALLEST_BUDGET, Math.floor(wanted));
}

/** Newer models do not show their thoughts unless a summary is requested. */
function adaptive(effort: string): Omit<OutputPlan, "max_tokens"> {
  // The value may come from the user's model list: an effort newer than the SDK is left to the server to judge.
  return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: effort as Effort } };
}

/** Omitting the field turns thinking off on most models; those that always think can at least get a low effort. */
function withoutThinking(model: Model, word: string | undefined): Omit<OutputPlan, "max_tokens"> {
  const type = OFF_TYPES.find((candidate) => candidate === word);
  if (type) return { thinking: { type } };
  return word && model.compat?.adaptiveThinking ? adaptive(word) : {};
}
