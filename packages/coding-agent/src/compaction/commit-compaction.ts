import type { EntryOf } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { cancelled } from "./compaction-error.ts";
import type { CompactionResult } from "./compaction-types.ts";
import { isContentEntry } from "./plan/compaction-plan.ts";
import type { PreparedCompaction } from "./plan/prepare-compaction.ts";

export interface Summary extends Partial<Omit<CompactionResult, "summary">> {
  summary: string;
  /** True if an extension wrote the summary, not a model. */
  fromExtension: boolean;
}

export interface CommittedCompaction {
  entry: EntryOf<"compaction">;
  result: CompactionResult;
}

/**
 * Writes the compaction in one synchronous step. Entries appended since it was prepared stay in the context. Throws if the
 * session has moved to another branch meanwhile.
 */
export function commitCompaction(prepared: PreparedCompaction, summary: Summary, now: number): CommittedCompaction {
  const { session, leafId, pruneIds, tokensBefore } = prepared;
  const path = session.path();
  const leafAt = path.findLastIndex(({ id }) => id === leafId);
  if (leafAt < 0) throw cancelled();
  const firstKeptEntryId = firstKept(prepared, summary, path, leafAt);
  if (pruneIds.length > 0) session.appendPrune({ ids: pruneIds, prunedAt: now });
  const { shortSummary, details, preserveData } = summary;
  const extra = {
    ...(shortSummary !== undefined && { shortSummary }),
    ...(details !== undefined && { details }),
    ...(preserveData !== undefined && { preserveData }),
  };
  const entry = session.appendCompaction({
    summary: summary.summary,
    ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
    tokensBefore: summary.tokensBefore ?? tokensBefore,
    ...extra,
    ...(summary.fromExtension && { fromExtension: true }),
  });
  const result: CompactionResult = {
    summary: entry.summary,
    firstKeptEntryId: entry.firstKeptEntryId ?? entry.id,
    tokensBefore: entry.tokensBefore,
    ...extra,
  };
  return { entry, result };
}

/** Returns the first kept entry, which an extension may choose, or undefined if nothing is kept. */
function firstKept(
  { plan }: PreparedCompaction,
  { firstKeptEntryId: chosen }: Summary,
  path: readonly SessionEntry[],
  leafAt: number,
): string | undefined {
  const isKnown = chosen !== undefined && path.some(({ id }) => id === chosen);
  const place = isKnown ? chosen : plan.firstKeptEntryId;
  if (place !== undefined) return place;
  const added = path.slice(leafAt + 1);
  return added.some(isContentEntry) ? added[0]?.id : undefined;
}
