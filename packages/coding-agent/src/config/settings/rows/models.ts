import { THINKING_LEVELS } from "@pintle/ai";
import { type SettingRows, setting } from "../setting-row.ts";
import { flag, integer, NO_ITEMS, oneOf, strings, text } from "../settings-types.ts";

/** Which model answers, and how much it thinks. */
export const MODELS = {
  defaultProvider: setting({
    type: text,
    default: undefined,
    isStrict: true,
    project: "consent",
    host: "any",
    meaning: "Provider of the model for new sessions.",
  }),
  defaultModel: setting({
    type: text,
    default: undefined,
    isStrict: true,
    project: "consent",
    host: "any",
    meaning: "Model for new sessions: an id or a part of it.",
  }),
  defaultThinkingLevel: setting({
    type: oneOf(...THINKING_LEVELS),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Thinking level of new sessions; without it `medium`, as far as the model can.",
  }),
  "thinkingBudgets.minimal": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning:
      "Tokens to think with at level `minimal`, for models that take such a budget; without it what suits the model.",
  }),
  "thinkingBudgets.low": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Tokens to think with at level `low`.",
  }),
  "thinkingBudgets.medium": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Tokens to think with at level `medium`.",
  }),
  "thinkingBudgets.high": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Tokens to think with at level `high`.",
  }),
  "thinkingBudgets.xhigh": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Tokens to think with at level `xhigh`.",
  }),
  enabledModels: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    host: "any",
    meaning:
      "Patterns of the models to cycle through, each optionally with `:level`; empty means all that can be used.",
  }),
  "models.offline": setting({
    type: flag,
    default: true,
    project: "consent",
    host: "any",
    meaning: "Offer the built-in offline model when there is no other.",
  }),
  "models.probeLocal": setting({
    type: flag,
    default: true,
    rpcDefault: false,
    project: "consent",
    host: "any",
    meaning: "Ask local model servers what they have when no model is configured.",
  }),
} satisfies SettingRows;
