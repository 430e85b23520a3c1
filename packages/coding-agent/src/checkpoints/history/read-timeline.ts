import { isRecord } from "@pintle/ai";
import { isEntry } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { CHECKPOINT_TYPE, type CheckpointHead, REWIND_TYPE } from "../store/records.ts";
import type { WorkspaceStore } from "../store/workspace-store.ts";
import { Timeline, type TimelineItem } from "./timeline.ts";

/** Combines the entries of a session with the records in the store. Entries may come from anywhere. */
export function readTimeline(
  entries: readonly SessionEntry[],
  store: Pick<WorkspaceStore, "checkpoint" | "rewind">,
): Timeline {
  const positions = new Map<string, number>();
  const items: TimelineItem[] = [];
  for (const [position, entry] of entries.entries()) {
    positions.set(entry.id, position);
    if (!isEntry(entry, "custom") || !isRecord(entry.data)) continue;
    if (entry.customType === CHECKPOINT_TYPE) {
      const stored = store.checkpoint(String(entry.data.checkpointId));
      const head = stored?.head ?? prunedHead(entry.data, entry.timestamp);
      items.push({ kind: "checkpoint", position, head, records: stored?.records });
    } else if (entry.customType === REWIND_TYPE) {
      const record = store.rewind(String(entry.data.rewindId));
      if (record) items.push({ kind: "rewind", position, record });
    }
  }
  return new Timeline(items, (entryId) => positions.get(entryId) ?? -1);
}

/** What is known about a checkpoint whose records were pruned. */
function prunedHead(data: Record<string, unknown>, timestamp: unknown): CheckpointHead {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const createdAt = Date.parse(text(timestamp));
  return {
    kind: "checkpoint",
    checkpointId: text(data.checkpointId),
    sessionId: "",
    entryId: text(data.entryId),
    prompt: "",
    createdAt: Number.isNaN(createdAt) ? 0 : createdAt,
    coverage: data.coverage === "tools" ? "tools" : "workspace",
  };
}
