import { textsOf } from "@pintle/ai";
import { isEntry, type SessionManager } from "@pintle/storage";
import type { Params } from "@pintle/wire";

/** Prompts that an earlier process of the session accepted, and the last entry from before. */
export type LostPrompts = Params<"store_prompts">;
export type LostPrompt = LostPrompts["prompts"][number];

/**
 * Returns the prompts that have no entry. Prompts become entries in order. A prompt that was expanded (a template, a mention) has
 * another text in the conversation, so an entry without an equal prompt is matched with the oldest one.
 */
export function missingPrompts(manager: SessionManager, { prompts, since }: LostPrompts): LostPrompt[] {
  const missing = [...prompts];
  const oldest = Math.min(...prompts.map(({ acceptedAt }) => acceptedAt));
  for (const entry of manager.entries().slice(since === undefined ? 0 : manager.position(since) + 1)) {
    if (!isEntry(entry, "message") || entry.message.role !== "user") continue;
    if (Date.parse(entry.timestamp) < oldest) continue;
    const { content } = entry.message;
    const text = typeof content === "string" ? content : textsOf(content).join("\n");
    const at = missing.findIndex(({ message }) => message === text);
    missing.splice(Math.max(at, 0), 1);
  }
  return missing;
}
