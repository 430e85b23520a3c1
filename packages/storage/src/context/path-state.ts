import type { AgentMessage } from "@pintle/agent";
import { THINKING_LEVELS, type ThinkingLevel } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";
import { type EntryOf, isEntry, type ModelReference, modelOf } from "../entries/entries.ts";

/** Returns the model that the user chose. A fallback or promoted model is used only if none was chosen. */
export function pathModel(path: readonly SessionEntry[], marks: readonly SessionEntry[]): ModelReference | undefined {
  const chosen = marks.findLast(isChosenModel);
  if (chosen) return modelOf(chosen);
  const answer = path.findLast(isAnswerOfModel);
  return answer && { provider: answer.message.provider, modelId: answer.message.model };
}

function isAnswerOfModel(
  entry: SessionEntry,
): entry is EntryOf<"message"> & { message: Extract<AgentMessage, { role: "assistant" }> } {
  if (!isEntry(entry, "message") || entry.message.role !== "assistant") return false;
  return Boolean(entry.message.provider && entry.message.model);
}

function isChosenModel(entry: SessionEntry): entry is EntryOf<"model_change"> {
  return isEntry(entry, "model_change") && (entry.role ?? "default") === "default";
}

/** Returns undefined if the path has no known level. */
export function pathThinkingLevel(marks: readonly SessionEntry[]): ThinkingLevel | undefined {
  for (const entry of marks.toReversed()) {
    if (!isEntry(entry, "thinking_level_change")) continue;
    const level = THINKING_LEVELS.find((known) => known === (entry.thinkingLevel ?? "off"));
    if (level) return level;
  }
  return undefined;
}

/** Names of the stream rules that were injected on this path, each once. */
export function pathInjectedRules(marks: readonly SessionEntry[]): string[] {
  return [...new Set(marks.flatMap((entry) => (isEntry(entry, "ttsr_injection") ? entry.injectedRules : [])))];
}
