import { type SettingRows, setting } from "../setting-row.ts";
import { count, integer, MAX_TIMER_SECONDS, oneOf } from "../settings-types.ts";

/** All tools: their limits, and how late tools are handled. */
export const TOOLS = {
  "tools.maxTimeout": setting({
    type: integer({ min: 0, max: MAX_TIMER_SECONDS }),
    default: 0,
    project: "consent",
    meaning: "Longest timeout in seconds that the model may set for a tool; 0 leaves it to the tool.",
  }),
  "tools.maxParallelCommands": setting({
    type: count,
    default: 8,
    project: "consent",
    host: "any",
    meaning: "Commands of one model message that run at the same time; 0 means no limit.",
  }),
  "tools.maxOutputLines": setting({
    type: integer({ min: 1 }),
    default: 2_000,
    project: "consent",
    host: "any",
    meaning: "Lines of a tool's output that the model receives.",
  }),
  "tools.maxOutputBytes": setting({
    type: integer({ min: 1_024 }),
    default: 51_200,
    project: "consent",
    host: "any",
    meaning: "Bytes of a tool's output that the model receives.",
  }),
  "tools.maxCommandOutputBytes": setting({
    type: integer({ min: 1_024 }),
    default: 30_720,
    project: "consent",
    host: "any",
    meaning:
      "Bytes of a command's output that the model receives, from the beginning and the end; at most `tools.maxOutputBytes`.",
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
    meaning: "Total size of these files per session; the oldest are removed first.",
  }),
  "cache.lateTools": setting({
    type: oneOf("append", "hold", "announce"),
    default: "announce",
    project: "consent",
    host: "any",
    meaning:
      "What happens to tools that are added while the provider has the conversation in its cache: they are added to the next request, wait until that costs nothing, or wait and can meanwhile be called by name after a message announces them.",
  }),
} satisfies SettingRows;
