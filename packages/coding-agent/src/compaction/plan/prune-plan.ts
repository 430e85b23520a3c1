import { facetsOf } from "../../tools/tool-facets.ts";
import type { CompactorParts } from "../compaction-types.ts";
import { type ContextItem, readWindow } from "../size/context-items.ts";
import { pruneSaving } from "../size/pruned-output.ts";

const PROTECTED_TOKENS = 40_000;
const LEAST_SAVING = 20_000;
const LEAST_RESULT = 50;

export interface PrunePlan {
  /** Entries of the results to prune. */
  ids: ReadonlySet<string>;
  saved: number;
}

/** Selects old tool output to remove. Returns undefined if it is not worth it. */
export function planPruning(items: readonly ContextItem[]): PrunePlan | undefined {
  const ids = new Set<string>();
  let newer = 0;
  let saved = 0;
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at]!;
    if (item.message.role !== "toolResult") continue;
    if (newer >= PROTECTED_TOKENS && isPrunable(item) && !facetsOf(item.message.toolName).keepsOutput) {
      ids.add(item.entryId);
      saved += pruneSaving(item.tokens);
    }
    newer += item.tokens;
  }
  return saved >= LEAST_SAVING ? { ids, saved } : undefined;
}

/**
 * Selects the largest results first, whatever their tool, until that much is saved. Returns undefined if there is not
 * enough.
 */
export function planForcedPruning(items: readonly ContextItem[], excess: number): PrunePlan | undefined {
  const ids = new Set<string>();
  let saved = 0;
  for (const item of items.filter(isPrunable).sort((a, b) => b.tokens - a.tokens)) {
    if (saved >= excess) break;
    ids.add(item.entryId);
    saved += pruneSaving(item.tokens);
  }
  return saved >= excess ? { ids, saved } : undefined;
}

/** Returns the messages with the sizes that they will have after pruning. */
export function withPruning(items: readonly ContextItem[], { ids }: Pick<PrunePlan, "ids">): ContextItem[] {
  return items.map((item) =>
    ids.has(item.entryId) ? { ...item, tokens: item.tokens - pruneSaving(item.tokens) } : item,
  );
}

function isPrunable({ message, tokens }: ContextItem): boolean {
  return message.role === "toolResult" && message.prunedAt === undefined && tokens >= LEAST_RESULT;
}

/** Removes old tool output from the context if that alone frees enough. Otherwise returns false and changes nothing. */
export function pruneToFit(parts: CompactorParts, excess: number): boolean {
  const session = parts.session();
  const plan = planPruning(readWindow(session, session.path()).items);
  if (!plan || plan.saved < excess) return false;
  session.appendPrune({ ids: [...plan.ids], prunedAt: parts.clock.now() });
  parts.adoptContext("pruning");
  return true;
}
