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
    meaning: "How to compact. `off` disables compaction; `handoff` acts like `context-full`.",
  }),
  "compaction.reserveTokens": setting({
    type: count,
    default: 16_384,
    project: "always",
    host: "any",
    meaning: "Tokens of the context window that compaction keeps free, at most a third of a small window.",
  }),
  "compaction.keepRecentTokens": setting({
    type: count,
    default: 20_000,
    project: "lower",
    host: "any",
    meaning: "Tokens of recent messages that compaction keeps unchanged; fewer in a small window.",
  }),
  "compaction.thresholdPercent": setting({
    type: number({ min: -1, max: 100 }),
    default: -1,
    project: "always",
    host: "any",
    meaning: "Compact when this percentage of the window is used; 0 or less uses `compaction.reserveTokens` instead.",
  }),
  "compaction.thresholdTokens": setting({
    type: integer({ min: -1 }),
    default: -1,
    project: "always",
    host: "any",
    meaning: "Compact when this many tokens are used; checked before the percentage. 0 or less disables it.",
  }),
  "compaction.model": setting({
    type: text,
    default: undefined,
    isStrict: true,
    project: "consent",
    host: "any",
    meaning: "Model that writes the summaries; defaults to the session's model.",
  }),
  "compaction.idleEnabled": setting({
    type: flag,
    default: false,
    project: "lower",
    host: "any",
    meaning: "Compact a large context while the session is idle.",
  }),
  "compaction.idleThresholdTokens": setting({
    type: count,
    default: 200_000,
    project: "raise",
    host: "any",
    meaning: "Context size in tokens from which `compaction.idleEnabled` compacts.",
  }),
  "compaction.idleTimeoutSeconds": setting({
    type: integer({ min: 1, max: MAX_TIMER_SECONDS }),
    default: 300,
    project: "raise",
    host: "any",
    meaning: "Idle time in seconds after which `compaction.idleEnabled` compacts.",
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
    meaning: "Summarize the abandoned branch when the session moves to another one.",
  }),
  "branchSummary.reserveTokens": setting({
    type: count,
    default: 16_384,
    project: "consent",
    host: "any",
    meaning: "Tokens of the context window that a branch summary keeps free.",
  }),
} satisfies SettingRows;
