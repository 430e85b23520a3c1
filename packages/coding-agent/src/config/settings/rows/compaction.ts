import { type SettingRows, setting } from "../setting-row.ts";
import { count, flag, integer, MAX_TIMER_SECONDS, number, oneOf, text } from "../settings-types.ts";

/** When a conversation is summarized, and by whom. */
export const COMPACTION = {
  "compaction.enabled": setting({
    type: flag,
    default: true,
    project: "always",
    host: "any",
    meaning: "Compact automatically before the context is full.",
  }),
  "compaction.strategy": setting({
    type: oneOf("context-full", "handoff", "off"),
    default: "context-full",
    project: "always",
    host: "any",
    meaning: "How to compact; `off` is the same as not enabled, `handoff` acts like `context-full`.",
  }),
  "compaction.reserveTokens": setting({
    type: count,
    default: 16_384,
    project: "always",
    host: "any",
    meaning: "Tokens of the context window that compaction keeps free; at most a third of a small window.",
  }),
  "compaction.keepRecentTokens": setting({
    type: count,
    default: 20_000,
    project: "lower",
    host: "any",
    meaning: "Tokens of recent messages that are kept as they are; fewer in a small window.",
  }),
  "compaction.thresholdPercent": setting({
    type: number({ min: -1, max: 100 }),
    default: -1,
    project: "always",
    host: "any",
    meaning: "Compact when this part of the window is used; 0 or less means by `compaction.reserveTokens`.",
  }),
  "compaction.thresholdTokens": setting({
    type: integer({ min: -1 }),
    default: -1,
    project: "always",
    host: "any",
    meaning: "Compact when this many tokens are used, before the percentage is looked at; 0 or less means off.",
  }),
  "compaction.midTurn": setting({
    type: flag,
    default: true,
    project: "always",
    host: "any",
    meaning: "Also check between the turns of a run.",
  }),
  "compaction.reuseCache": setting({
    type: flag,
    default: true,
    project: "always",
    host: "any",
    meaning:
      "Ask for a summary at the end of the conversation itself when that is cheaper, because the provider has it in its cache.",
  }),
  "compaction.model": setting({
    type: text,
    default: undefined,
    isStrict: true,
    project: "consent",
    host: "any",
    meaning: "Model that writes the summaries; without it the session's own.",
  }),
  "compaction.idleEnabled": setting({
    type: flag,
    default: false,
    project: "lower",
    host: "any",
    meaning: "Compact a large context while nothing happens.",
  }),
  "compaction.idleThresholdTokens": setting({
    type: count,
    default: 200_000,
    project: "raise",
    host: "any",
    meaning: "Tokens of context that count as large for `compaction.idleEnabled`.",
  }),
  "compaction.idleTimeoutSeconds": setting({
    type: integer({ min: 1, max: MAX_TIMER_SECONDS }),
    default: 300,
    project: "raise",
    host: "any",
    meaning: "Seconds of quiet before `compaction.idleEnabled` acts.",
  }),
  "compaction.autoContinue": setting({
    type: flag,
    default: false,
    inert: true,
    project: "always",
    host: "any",
    meaning: "Other agents add a turn after a compaction; pintle never does.",
  }),
  "branchSummary.enabled": setting({
    type: flag,
    default: false,
    project: "consent",
    host: "any",
    meaning: "Summarize what is left behind when another branch of the session is entered.",
  }),
  "branchSummary.reserveTokens": setting({
    type: count,
    default: 16_384,
    project: "consent",
    host: "any",
    meaning: "Tokens of the context window that the summary of a branch leaves free.",
  }),
} satisfies SettingRows;
