import { type SettingRows, setting } from "../setting-row.ts";
import { count, delayMs, flag, NO_ENTRIES, oneOf, stringListEntries } from "../settings-types.ts";

/** What is tried again after a fault of a provider, and with which model. */
export const RETRY = {
  "retry.enabled": setting({
    type: flag,
    default: true,
    project: "lower",
    host: "any",
    meaning: "Repeat a model call that failed for a passing reason.",
  }),
  "retry.maxRetries": setting({
    type: count,
    default: 3,
    project: "lower",
    host: "any",
    meaning: "How often one call is repeated.",
  }),
  "retry.baseDelayMs": setting({
    type: delayMs,
    default: 2_000,
    project: "raise",
    host: "any",
    meaning: "Pause before the first repetition; it doubles each time.",
  }),
  "retry.maxDelayMs": setting({
    type: count,
    default: 60_000,
    project: "lower",
    host: "any",
    meaning: "Longest pause a provider may ask for; beyond it the call fails.",
  }),
  "retry.fallbackChains": setting({
    type: stringListEntries,
    default: NO_ENTRIES,
    isStrict: true,
    project: "consent",
    host: "any",
    meaning: "Models to try next, per role.",
  }),
  "retry.fallbackRevertPolicy": setting({
    type: oneOf("cooldown-expiry", "never"),
    default: "cooldown-expiry",
    project: "always",
    host: "any",
    meaning: "When to return from a fallback model to the first one.",
  }),
} satisfies SettingRows;
