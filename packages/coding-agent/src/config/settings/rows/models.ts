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
    meaning: "Model for new sessions: an id or part of one.",
  }),
  defaultThinkingLevel: setting({
    type: oneOf(...THINKING_LEVELS),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Thinking level of new sessions; defaults to `medium`, or the nearest level that the model supports.",
  }),
  "thinkingBudgets.minimal": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Thinking tokens at level `minimal`, for models that accept a budget; the default depends on the model.",
  }),
  "thinkingBudgets.low": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Thinking tokens at level `low`.",
  }),
  "thinkingBudgets.medium": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Thinking tokens at level `medium`.",
  }),
  "thinkingBudgets.high": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Thinking tokens at level `high`.",
  }),
  "thinkingBudgets.xhigh": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Thinking tokens at level `xhigh`.",
  }),
  "thinkingBudgets.max": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    host: "any",
    meaning: "Thinking tokens at level `max`.",
  }),
  enabledModels: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    host: "any",
    meaning:
      "Patterns of the models to cycle through, each optionally with `:level`; empty means all available models.",
  }),
  "models.offline": setting({
    type: flag,
    default: true,
    project: "consent",
    host: "any",
    meaning: "Offer the built-in offline model if no other model is available.",
  }),
  "models.probeLocal": setting({
    type: flag,
    default: true,
    rpcDefault: false,
    project: "consent",
    host: "any",
    meaning: "Probe for local model servers if no model is configured.",
  }),
} satisfies SettingRows;
