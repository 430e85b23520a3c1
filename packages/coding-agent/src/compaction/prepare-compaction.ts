import { type AssistantMessage, estimateTextTokens } from "@pintle/ai";
import type { EntryOf, SessionEntry } from "../session/storage/entries.ts";
import { CompactionError } from "./compaction-error.ts";
import type { CompactionPreparation } from "./compaction-hooks.ts";
import { type CompactionPlan, planCompaction } from "./compaction-plan.ts";
import type { AutoReason, CompactionSession } from "./compaction-types.ts";
import { type CompactionWindow, type ContextItem, readWindow } from "./context-items.ts";
import { collectFiles, type FileSets } from "./file-operations.ts";
import { planPruning, withPruning } from "./prune-plan.ts";
import { promptTokens } from "./token-estimate.ts";

export interface PrepareRequest {
  session: CompactionSession;
  reason: AutoReason | "manual";
  reserveTokens: number;
  keepRecentTokens: number;
  /** Undefined: the window is not known. */
  threshold?: number;
  tokensBefore: number;
  /** The answer whose usage says how large the conversation is. */
  measure?: AssistantMessage;
  overheadTokens: number;
}

/** What is going to be done, fixed before anybody is waited for. */
export interface PreparedCompaction {
  session: CompactionSession;
  leafId: string | null;
  path: readonly SessionEntry[];
  plan: CompactionPlan;
  previous?: EntryOf<"compaction">;
  files: FileSets;
  tokensBefore: number;
  /** Results of the kept part that leave the context together with what is summarized. */
  pruneIds: string[];
}

/** Throws when there is nothing to do, or when nothing helps. */
export function prepareCompaction(request: PrepareRequest): PreparedCompaction {
  const { session, reason, tokensBefore, threshold } = request;
  const path = session.path();
  const window = readWindow(session, path);
  if (reason === "manual") requireCompletedTurn(window, path);
  const pruning = planPruning(window.items);
  const plan = planCompaction({
    items: pruning ? withPruning(window.items, pruning) : window.items,
    path,
    reason,
    keepTokens: request.keepRecentTokens,
    tokenRatio: tokenRatio(window, request),
    ...(threshold !== undefined && { threshold }),
  });
  if (!plan) throw nothingToCompact();
  const isPruned = ({ entryId }: ContextItem) => pruning?.ids.has(entryId) || plan.forcedPruneIds.has(entryId);
  const replaced = [...plan.history, ...plan.turnPrefix].map(({ message }) => message);
  return {
    session,
    leafId: session.leafId,
    path,
    plan,
    ...(window.previous && { previous: window.previous }),
    files: collectFiles(replaced, window.previous),
    tokensBefore,
    pruneIds: plan.kept.filter(isPruned).map(({ entryId }) => entryId),
  };
}

/** The same, as hooks get to see it. */
export function describePreparation(
  { plan, previous, files, tokensBefore }: PreparedCompaction,
  settings: CompactionPreparation["settings"],
): CompactionPreparation {
  return {
    messagesToSummarize: plan.history.map(({ message }) => message),
    turnPrefixMessages: plan.turnPrefix.map(({ message }) => message),
    isSplitTurn: plan.turnPrefix.length > 0,
    ...(plan.firstKeptEntryId !== undefined && { firstKeptEntryId: plan.firstKeptEntryId }),
    tokensBefore,
    ...(previous && { previousSummary: previous.summary }),
    fileOps: files,
    settings,
  };
}

function requireCompletedTurn({ items, previous }: CompactionWindow, path: readonly SessionEntry[]): void {
  if (path.at(-1)?.type === "compaction") throw new CompactionError("nothing", "Already compacted");
  const older = new Set(previous && path.slice(0, path.indexOf(previous)).map(({ id }) => id));
  const isAnswer = ({ entryId, message }: ContextItem) =>
    message.role === "assistant" && message.stopReason !== "aborted" && !older.has(entryId);
  if (!items.some(isAnswer)) throw nothingToCompact();
}

function nothingToCompact(): CompactionError {
  return new CompactionError("nothing", "Nothing to compact (session too small)");
}

/** An estimate that is too low would keep too much. */
function tokenRatio({ items, previous }: CompactionWindow, request: PrepareRequest): number {
  const { measure, overheadTokens, session } = request;
  const measuredId = measure && session.entryIdOf(measure);
  const at = items.findLastIndex(({ entryId }) => entryId === measuredId);
  if (!measure || at < 0) return 1;
  let estimate = overheadTokens + estimateTextTokens(previous?.summary ?? "");
  for (let before = 0; before < at; before += 1) estimate += items[before]?.tokens ?? 0;
  return estimate > 0 ? Math.max(1, promptTokens(measure.usage) / estimate) : 1;
}
