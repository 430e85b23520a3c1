import { type SettingRows, setting } from "../setting-row.ts";
import { hostDeadline, oneOf } from "../settings-types.ts";

/** What is asked of the host. */
export const HOST = {
  "host.dialogTimeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    host: "any",
    meaning: "How long a dialog without a limit of its own waits for the host.",
  }),
  "host.toolTimeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    host: "any",
    meaning: "How long a host tool may be silent.",
  }),
  "resolve.by": setting({
    type: oneOf("model", "host"),
    default: "model",
    isStrict: true,
    project: "never",
    host: "any",
    meaning: "Who decides on previews.",
  }),
  "resolve.steering": setting({
    type: oneOf("auto", "force", "soft"),
    default: "auto",
    project: "never",
    host: "any",
    meaning:
      "Whether the model is forced to decide on a preview, or reminded first and forced when it does not. `auto` reminds first where a forced choice would cost the provider's cache of the conversation (Anthropic).",
  }),
  "resolve.timeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    host: "any",
    meaning: "How long a preview waits for the host; then it is discarded.",
  }),
  "trust.default": setting({
    type: oneOf("closed", "ask"),
    default: "closed",
    project: "never",
    host: "any",
    meaning: "Whether a project without consent stays closed, or someone who can answer is asked.",
  }),
  "trust.timeoutMs": setting({
    type: hostDeadline,
    default: 120_000,
    project: "never",
    host: "any",
    meaning: "How long the question whether to trust a project waits; then the answer is no.",
  }),
} satisfies SettingRows;
