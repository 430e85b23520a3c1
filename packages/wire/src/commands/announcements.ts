// State that a command may change and a notification reports.

export const OF_A_MODEL = ["model_changed", "thinking_level_changed"] as const;
/** Opening a different session changes all of these. */
export const OF_A_SESSION = [
  ...OF_A_MODEL,
  "session_info_changed",
  "queue_update",
  "available_commands_update",
  "notice",
] as const;
