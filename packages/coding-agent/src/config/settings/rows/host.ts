import { type SettingRows, setting } from "../setting-row.ts";
import { hostDeadline, oneOf } from "../settings-types.ts";

/** Questions to the host and their time limits. */
export const HOST = {
  "host.dialogTimeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    host: "any",
    meaning: "How long a dialog waits for the host if it sets no limit of its own.",
  }),
  "host.toolTimeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    host: "any",
    meaning: "How long a host tool may send nothing before its call fails.",
  }),
  "resolve.by": setting({
    type: oneOf("model", "host"),
    default: "model",
    isStrict: true,
    project: "never",
    host: "any",
    meaning: "Who decides on previews.",
  }),
  "resolve.timeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    host: "any",
    meaning: "How long a preview waits for the host before it is discarded.",
  }),
  "trust.default": setting({
    type: oneOf("closed", "ask"),
    default: "closed",
    project: "never",
    host: "any",
    meaning: "Whether a project without consent stays untrusted, or a host that can answer is asked.",
  }),
  "trust.timeoutMs": setting({
    type: hostDeadline,
    default: 120_000,
    project: "never",
    host: "any",
    meaning: "How long a trust question waits before the answer is no.",
  }),
} satisfies SettingRows;
