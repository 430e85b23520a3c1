import { type SettingRows, setting } from "../setting-row.ts";
import { oneOf, text } from "../settings-types.ts";

/** How sessions are stored. */
export const SESSIONS = {
  sessionDir: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Where sessions are stored; without it `sessions` in the home directory of pintle.",
  }),
  "session.fsync": setting({
    type: oneOf("turn", "always", "never"),
    default: "turn",
    project: "consent",
    meaning: "When a session file is forced to the disk, against power loss.",
  }),
  "session.images": setting({
    type: oneOf("blob", "inline"),
    default: "blob",
    project: "consent",
    meaning: "Whether images are stored beside the session file or in it.",
  }),
  "replay.timing": setting({
    type: oneOf("none", "recorded"),
    default: "none",
    project: "consent",
    meaning: "Whether `--replay` keeps the recorded pauses.",
  }),
} satisfies SettingRows;
