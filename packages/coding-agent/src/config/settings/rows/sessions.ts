import { type SettingRows, setting } from "../setting-row.ts";
import { oneOf, text } from "../settings-types.ts";

/** How sessions are stored. */
export const SESSIONS = {
  sessionDir: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Directory for session files; defaults to `sessions` in pintle's home directory.",
  }),
  "session.fsync": setting({
    type: oneOf("turn", "always", "never"),
    default: "turn",
    project: "consent",
    meaning: "When a session file is flushed to disk, to survive a power loss.",
  }),
  "session.images": setting({
    type: oneOf("blob", "inline"),
    default: "blob",
    project: "consent",
    meaning: "Whether images are stored in separate files or in the session file.",
  }),
  "session.titleModel": setting({
    type: text,
    default: undefined,
    isStrict: true,
    resetInRpc: true,
    project: "consent",
    host: "any",
    meaning:
      "Model, such as a small one, that writes a title for each session after the first answer; without it, sessions have only the names that you give them.",
  }),
} satisfies SettingRows;
