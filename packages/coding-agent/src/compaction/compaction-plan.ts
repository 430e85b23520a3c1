import type { SessionEntry } from "../session/storage/entries.ts";
import { CompactionError } from "./compaction-error.ts";
import type { AutoReason } from "./compaction-types.ts";
import type { ContextItem } from "./context-items.ts";
import { type Cut, CutFinder } from "./cut-point.ts";
import { planForcedPruning } from "./prune-plan.ts";

const MAX_HALVINGS = 3;

export interface PlanRequest {
  items: readonly ContextItem[];
  /** Entries from the first to the leaf. */
  path: readonly SessionEntry[];
  reason: AutoReason | "manual";
  keepTokens: number;
  /** How many tokens the provider counts for one of our estimate; at least 1. */
  tokenRatio: number;
  /** Undefined: the window is not known. */
  threshold?: number;
}

export interface CompactionPlan extends Cut {
  /** Undefined: nothing is kept. */
  firstKeptEntryId?: string;
  /** Results of the kept part that are too large to stay. */
  forcedPruneIds: ReadonlySet<string>;
}

/** What to summarize and what to keep. Undefined: there is nothing to summarize. Linear. */
export function planCompaction(request: PlanRequest): CompactionPlan | undefined {
  const finder = new CutFinder(request.items);
  const keep = Math.max(1, Math.floor(request.keepTokens / request.tokenRatio));
  const cut = request.reason === "manual" ? shrinkToProgress(finder, keep) : shrinkToFit(finder, keep, request);
  if (!cut) return undefined;
  const first = cut.kept[0];
  return {
    ...cut,
    ...(first && { firstKeptEntryId: withPrecedingState(request.path, first.entryId) }),
    forcedPruneIds: request.reason === "overflow" ? forcedPruning(cut.kept, request) : new Set(),
  };
}

/** A person asked for it: keep less, in the end nothing, until there is something to summarize. */
function shrinkToProgress(finder: CutFinder, keep: number): Cut | undefined {
  for (let tokens = keep; tokens > 0; tokens = Math.floor(tokens / 2)) {
    const cut = finder.cut(tokens);
    if (cut) return cut;
  }
  return finder.cut(0);
}

/** A kept part that is over the threshold by itself would be compacted again at once. */
function shrinkToFit(finder: CutFinder, keep: number, request: PlanRequest): Cut | undefined {
  let cut = finder.cut(keep);
  for (let halvings = 1; halvings <= MAX_HALVINGS && excess(cut?.kept ?? request.items, request) > 0; halvings += 1) {
    cut = finder.cut(Math.max(1, Math.floor(keep / 2 ** halvings))) ?? cut;
  }
  if (cut || request.reason !== "overflow" || excess(request.items, request) <= 0) return cut;
  // One indivisible exchange. Its results can be summarized, the words of the user are not to be replaced.
  forcedPruning(request.items, request);
  return finder.cut(0);
}

/** Throws when that does not help either. */
function forcedPruning(kept: readonly ContextItem[], request: PlanRequest): ReadonlySet<string> {
  const tooMuch = excess(kept, request);
  if (tooMuch <= 0) return new Set();
  const plan = planForcedPruning(kept, tooMuch);
  if (plan) return plan.ids;
  throw new CompactionError("failed", "The newest messages alone do not fit the context window");
}

/** Our tokens above the threshold. */
function excess(kept: readonly ContextItem[], { threshold, tokenRatio }: PlanRequest): number {
  if (threshold === undefined) return 0;
  return kept.reduce((sum, { tokens }) => sum + tokens, 0) - threshold / tokenRatio;
}

/** Entries after which the context is another one; all the others are state that goes with the message behind it. */
const CONTENT_TYPES: ReadonlySet<string> = new Set([
  "message",
  "custom_message",
  "branch_summary",
  "compaction",
  "reset_boundary",
]);

export function isContentEntry({ type }: SessionEntry): boolean {
  return CONTENT_TYPES.has(type);
}

function withPrecedingState(path: readonly SessionEntry[], entryId: string): string {
  let at = path.findLastIndex((entry) => entry.id === entryId);
  while (at > 0 && !isContentEntry(path[at - 1] as SessionEntry)) at -= 1;
  return path[at]?.id ?? entryId;
}
