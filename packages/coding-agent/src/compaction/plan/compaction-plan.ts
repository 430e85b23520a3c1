import type { SessionEntry } from "@pintle/wire";
import { CompactionError } from "../compaction-error.ts";
import type { AutoReason } from "../compaction-types.ts";
import type { ContextItem } from "../size/context-items.ts";
import { type Cut, CutFinder } from "./cut-point.ts";
import { planForcedPruning } from "./prune-plan.ts";
import type { WindowBudget } from "./window-budget.ts";

export interface PlanRequest {
  items: readonly ContextItem[];
  /** Entries from the first to the leaf. */
  path: readonly SessionEntry[];
  reason: AutoReason | "manual";
  budget: WindowBudget;
  /** True if the summary at the start of the context takes more than its share. */
  isSummaryTooLong?: boolean;
  /** True during a run, when the model is working on the newest messages. */
  isMidRun?: boolean;
}

export interface CompactionPlan extends Cut {
  /** Undefined if nothing is kept. */
  firstKeptEntryId?: string;
  /** Results in the kept part that are too large to stay. */
  forcedPruneIds: ReadonlySet<string>;
}

type CutAndPruning = Cut & { forcedPruneIds?: ReadonlySet<string> };

/** Plans what to summarize and what to keep. Returns undefined if there is nothing to summarize. Linear. */
export function planCompaction(request: PlanRequest): CompactionPlan | undefined {
  const finder = new CutFinder(request.items);
  const cut: CutAndPruning | undefined = PLANNERS[request.reason](finder, request) ?? shortenedSummary(request);
  if (!cut) return undefined;
  const first = cut.kept[0];
  return {
    ...cut,
    ...(first && { firstKeptEntryId: withPrecedingState(request.path, first.entryId) }),
    forcedPruneIds: cut.forcedPruneIds ?? new Set(),
  };
}

const PLANNERS: Record<PlanRequest["reason"], (finder: CutFinder, request: PlanRequest) => CutAndPruning | undefined> =
  {
    // Requested by the user: keep less and less, finally nothing, until there is something to summarize.
    manual: (finder, { budget }) => shrinkToFit(finder, { ...budget, most: Number.POSITIVE_INFINITY }) ?? finder.cut(0),
    idle: planAtThreshold,
    threshold: planAtThreshold,
    overflow: planAfterOverflow,
  };

/** Plans a kept part below the threshold, because a larger one would be compacted again immediately. */
function planAtThreshold(finder: CutFinder, { budget, isMidRun }: PlanRequest): Cut | undefined {
  if (!finder.cut(budget.keep)) return undefined; // the messages are not what fills the window
  const cut = shrinkToFit(finder, budget);
  // During a run, the next request may still fit; if not, the overflow is handled then.
  return isMidRun || (cut && fits(cut.kept, budget)) ? cut : finder.cut(0);
}

/** Plans after a refused request, so something must be removed. */
function planAfterOverflow(finder: CutFinder, request: PlanRequest): CutAndPruning | undefined {
  const { items, budget } = request;
  const cut = shrinkToFit(finder, budget);
  if (cut && fits(cut.kept, budget)) return cut;
  const pruning = cut && planForcedPruning(cut.kept, sumTokens(cut.kept) - budget.most);
  if (pruning) return { ...cut, forcedPruneIds: pruning.ids };
  // Do not replace a user message that has no answer yet.
  if (items.at(-1)?.message.role !== "user") return finder.cut(0);
  if (cut || request.isSummaryTooLong) return cut;
  throw new CompactionError("failed", "The newest messages alone do not fit the context window");
}

/** Returns the first cut whose kept part fits, otherwise the one that keeps least. */
function shrinkToFit(finder: CutFinder, budget: WindowBudget): Cut | undefined {
  let smallest: Cut | undefined;
  for (let keep = budget.keep; keep > 0; keep = Math.floor(keep / 2)) {
    const cut = finder.cut(keep);
    if (cut && fits(cut.kept, budget)) return cut;
    smallest = cut ?? smallest;
  }
  return smallest;
}

function fits(kept: readonly ContextItem[], { most }: WindowBudget): boolean {
  return sumTokens(kept) <= most;
}

/** Returns a cut that keeps all messages and only shortens the earlier summary. */
function shortenedSummary({ items, isSummaryTooLong }: PlanRequest): Cut | undefined {
  return isSummaryTooLong ? { history: [], turnPrefix: [], kept: [...items] } : undefined;
}

function sumTokens(items: readonly ContextItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Entries that change the context. All others are state that belongs to the message after it. */
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
  while (at > 0 && !isContentEntry(path[at - 1]!)) at -= 1;
  return path[at]?.id ?? entryId;
}
