import { type SettingRows, setting } from "../setting-row.ts";
import { count, flag, oneOf } from "../settings-types.ts";

/** Rules that watch the model's output while it streams. */
export const RULES = {
  "ttsr.enabled": setting({
    type: flag,
    default: true,
    project: "always",
    host: "any",
    meaning: "Apply rules with a condition to the model's output while it streams.",
  }),
  "ttsr.contextMode": setting({
    type: oneOf("discard", "keep"),
    default: "discard",
    project: "always",
    host: "any",
    meaning: "Whether the interrupted answer stays in the context.",
  }),
  "ttsr.interruptMode": setting({
    type: oneOf("always", "prose-only", "tool-only", "never"),
    default: "always",
    project: "always",
    host: "any",
    meaning: "Which matches interrupt the answer; other matches are reported to the model afterwards.",
  }),
  "ttsr.repeatMode": setting({
    type: oneOf("once", "after-gap"),
    default: "once",
    project: "always",
    host: "any",
    meaning: "Whether a rule is inserted once per session, or again after a number of turns.",
  }),
  "ttsr.repeatGap": setting({
    type: count,
    default: 10,
    project: "raise",
    host: "any",
    meaning: "Turns after which a rule may be inserted again, with `ttsr.repeatMode` `after-gap`.",
  }),
} satisfies SettingRows;
