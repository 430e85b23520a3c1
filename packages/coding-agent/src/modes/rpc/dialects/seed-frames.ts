import { REPORTED_THINKING_LEVELS } from "@pintle/ai";
import type { Rewrite } from "./dialect.ts";
import { type AnswerFrame, type Data, notSent, onlyIfNamed, rewriteData } from "./rewrites.ts";

/** Frames that clients of the first protocol do not know. */
export const SEED_FRAMES: Readonly<Record<string, Rewrite>> = {
  // Sent for the `compact` command, with a reason that hosts of the older protocol do not accept.
  compaction_start: notSent,
  compaction_end: notSent,
  summarization_retry_scheduled: notSent,
  summarization_retry_attempt_start: notSent,
  summarization_retry_finished: notSent,
  entry_appended: onlyIfNamed,
  message_appended: onlyIfNamed,
  thinking_level_changed: reportedLevels,
  response: (frame: AnswerFrame) => rewriteData(frame, ANSWERS),
};

const ANSWERS = {
  get_state: reportedLevels,
  cycle_model: reportedLevels,
  cycle_thinking_level: reportedLevels,
  get_available_thinking_levels: ({ levels, ...data }: Data) => ({
    ...data,
    levels: Array.isArray(levels) ? [...new Set(levels.map(reported))] : levels,
  }),
};

/** Replaces `max`, which the protocol's closed set of six levels lacks. */
function reported(level: unknown): unknown {
  return level === "max" ? REPORTED_THINKING_LEVELS.at(-1) : level;
}

function reportedLevels<T extends { level?: unknown; thinkingLevel?: unknown }>(holder: T): T {
  if (holder.level !== "max" && holder.thinkingLevel !== "max") return holder;
  return {
    ...holder,
    ...("level" in holder && { level: reported(holder.level) }),
    ...("thinkingLevel" in holder && { thinkingLevel: reported(holder.thinkingLevel) }),
  };
}
