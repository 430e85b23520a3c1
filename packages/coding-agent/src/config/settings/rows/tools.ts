import { type SettingRows, setting } from "../setting-row.ts";
import { count, integer, MAX_TIMER_SECONDS, oneOf } from "../settings-types.ts";

/** All tools: their limits, and what becomes of those that come late. */
export const TOOLS = {
  "tools.maxTimeout": setting({
    type: integer({ min: 0, max: MAX_TIMER_SECONDS }),
    default: 0,
    project: "consent",
    meaning: "Longest time limit in seconds the model may give a tool; 0 leaves it to the tool.",
  }),
  "tools.maxOutputLines": setting({
    type: integer({ min: 1 }),
    default: 2_000,
    project: "consent",
    host: "any",
    meaning: "Lines of a tool's output that the model gets.",
  }),
  "tools.maxOutputBytes": setting({
    type: integer({ min: 1_024 }),
    default: 51_200,
    project: "consent",
    host: "any",
    meaning: "Bytes of a tool's output that the model gets.",
  }),
  "tools.maxSpillBytes": setting({
    type: count,
    default: 268_435_456,
    project: "consent",
    meaning: "Bytes of a tool's full output that are kept in a file.",
  }),
  "tools.maxSpillTotalBytes": setting({
    type: count,
    default: 1_073_741_824,
    project: "consent",
    meaning: "Bytes of all such files of a session; the oldest are removed for a new one.",
  }),
  "cache.lateTools": setting({
    type: oneOf("append", "hold", "announce"),
    default: "append",
    project: "consent",
    host: "any",
    meaning:
      "What becomes of tools that come while a provider has the conversation in its cache: they follow the others in the next request, wait until nothing is lost by them, or wait and can be called by their name in a message meanwhile.",
  }),
} satisfies SettingRows;
