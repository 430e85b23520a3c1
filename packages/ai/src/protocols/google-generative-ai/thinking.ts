import type { ThinkingConfig } from "@google/genai";
import type { Model } from "../../model.ts";
import { clampThinkingLevel, type ThinkingLevel } from "../../thinking.ts";
import type { RequestOptions } from "../protocol.ts";

type Depths = Record<ThinkingLevel, string | number>;
/** The SDK's enum as its wire value. */
type WireThinking = Omit<ThinkingConfig, "thinkingLevel"> & { thinkingLevel?: string };

/** Token budgets for the 2.5 models, named levels since 3. The first match wins. */
const FAMILIES: readonly (readonly [RegExp, Depths])[] = [
  // Thinking cannot be turned off: a budget of 0 is refused.
  [/gemini-2\.5-pro/, { off: 128, minimal: 128, low: 2048, medium: 8192, high: 32_768, xhigh: 32_768, max: 32_768 }],
  [
    /gemini-2\.5-flash-lite/,
    { off: 0, minimal: 512, low: 2048, medium: 8192, high: 24_576, xhigh: 24_576, max: 24_576 },
  ],
  [/gemini-2\.5/, { off: 0, minimal: 128, low: 2048, medium: 8192, high: 24_576, xhigh: 24_576, max: 24_576 }],
  [
    /gemini-3[\d.]*-pro/,
    { off: "LOW", minimal: "LOW", low: "LOW", medium: "HIGH", high: "HIGH", xhigh: "HIGH", max: "HIGH" },
  ],
  [
    /gemini-3(\.[0-6])?-flash|gemini-3[\d.]*-flash-lite/,
    { off: "MINIMAL", minimal: "MINIMAL", low: "LOW", medium: "MEDIUM", high: "HIGH", xhigh: "HIGH", max: "HIGH" },
  ],
  // Since 3.7, Flash refuses the lowest level.
  [/gemini-/, { off: "LOW", minimal: "LOW", low: "LOW", medium: "MEDIUM", high: "HIGH", xhigh: "HIGH", max: "HIGH" }],
];

/**
 * Thoughts are shown unless thinking is off. A model that always thinks then uses the lowest level and hides its
 * thoughts.
 */
export function toThinkingConfig(model: Model, options: RequestOptions): WireThinking | undefined {
  if (!model.reasoning) return undefined;
  const level = clampThinkingLevel(options.thinkingLevel ?? "off", model);
  const depth = model.thinkingLevelMap?.[level] ?? depthOf(level, model, options);
  return {
    ...(level !== "off" && { includeThoughts: true }),
    ...(depth !== undefined && toDepth(depth)),
  };
}

function depthOf(level: ThinkingLevel, model: Model, { thinkingBudgets }: RequestOptions): string | number | undefined {
  const depth = FAMILIES.find(([pattern]) => pattern.test(model.id))?.[1][level];
  return typeof depth === "number" ? (thinkingBudgets?.[level] ?? depth) : depth;
}

/** The user may write a level in either form. */
function toDepth(depth: string | number): WireThinking {
  const budget = Number(depth);
  return Number.isFinite(budget) ? { thinkingBudget: Math.floor(budget) } : { thinkingLevel: `${depth}`.toUpperCase() };
}
