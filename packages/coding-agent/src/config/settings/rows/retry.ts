import { type SettingRows, setting } from "../setting-row.ts";
import { count, delayMs, flag, NO_ENTRIES, oneOf, stringListEntries } from "../settings-types.ts";

/** What is retried after a provider error, and with which model. */
export const RETRY = {
  "retry.enabled": setting({
    type: flag,
    default: true,
    project: "lower",
    host: "any",
    meaning: "Retry a model call after a temporary failure.",
  }),
  "retry.maxRetries": setting({
    type: count,
    default: 3,
    project: "lower",
    host: "any",
    meaning: "Maximum number of retries of one call.",
  }),
  "retry.baseDelayMs": setting({
    type: delayMs,
    default: 2_000,
    project: "raise",
    host: "any",
    meaning: "Delay before the first retry; it doubles each time.",
  }),
  "retry.maxDelayMs": setting({
    type: count,
    default: 60_000,
    project: "lower",
    host: "any",
    meaning: "Longest delay that a provider may request; if it requests more, the call fails.",
  }),
  "retry.fallbackChains": setting({
    type: stringListEntries,
    default: NO_ENTRIES,
    isStrict: true,
    project: "consent",
    host: "any",
    meaning: "Fallback models to try, per role.",
  }),
  "retry.fallbackRevertPolicy": setting({
    type: oneOf("cooldown-expiry", "never"),
    default: "cooldown-expiry",
    project: "always",
    host: "any",
    meaning: "When to return from a fallback model to the first one.",
  }),
} satisfies SettingRows;
