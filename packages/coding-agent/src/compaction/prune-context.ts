import type { CompactorParts } from "./compaction-types.ts";
import { readWindow } from "./context-items.ts";
import { planPruning } from "./prune-plan.ts";

/** Takes old tool output out of the context if that alone frees enough. False: it does not, and nothing was done. */
export function pruneToFit(parts: CompactorParts, excess: number): boolean {
  const session = parts.session();
  const plan = planPruning(readWindow(session, session.path()).items);
  if (!plan || plan.saved < excess) return false;
  session.appendPrune({ ids: [...plan.ids], prunedAt: parts.clock.now() });
  parts.adoptContext();
  return true;
}
